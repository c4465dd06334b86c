"""Editions on paper: cells as markup, the template, and what is typeset from them."""
