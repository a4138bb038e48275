"""Models in Model Explorer: every level as a graph, and repeated edits with their effects."""
