"""Google's Gemini and Imagen: what is asked, and what their answers come to."""
