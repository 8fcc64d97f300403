"""What several people say of the same cases: how well they agree, and where they do not."""
