"""Another layout in the same table: new items beside the old ones, which serve until the switch."""
