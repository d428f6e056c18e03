"""The dashboard: static pages of all measurements (python3 -m dashboard --help)."""
