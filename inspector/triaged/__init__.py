"""What people said of cases, as documents."""
