"""What keeps the repository's own pages: its references, and the site that is built of them."""
