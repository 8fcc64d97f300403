"""Files whole or not at all, frames whose columns are read when they are asked for, and folders on object storage."""
