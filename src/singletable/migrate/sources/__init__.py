"""Where data comes from: SQL databases, DynamoDB tables, files."""
