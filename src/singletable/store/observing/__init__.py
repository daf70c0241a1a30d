"""What is told of every request: events, OpenTelemetry, CloudWatch."""
