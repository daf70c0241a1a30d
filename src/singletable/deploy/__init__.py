"""From a design to what runs it: CloudFormation, Terraform, CDK, and the policies of IAM."""
