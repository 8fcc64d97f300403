"""Scoring processes of our own: started, listened to, and asked about single cases."""
