"""What a person did in the app, as a file that can be played again."""
