"""Experiments on how learning goes, where the paper shows a picture and not a table of scores."""
