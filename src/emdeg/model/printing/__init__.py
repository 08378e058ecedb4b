"""How models are written: text, LaTeX, Markdown, HTML, JSON, SymPy. Nothing here is ever read back."""
