"""Repeat fits and keep the evidence: data, protocols, runs."""
