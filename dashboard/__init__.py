"""The dashboard: static pages of everything that was measured (python3 -m dashboard --help)."""
