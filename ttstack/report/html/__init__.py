"""Reports as HTML: a self-contained page without network access, and fragments for notebooks."""
