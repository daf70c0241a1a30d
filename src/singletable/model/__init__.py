"""The design: table, entities, key templates and access patterns; pure, without IO."""
