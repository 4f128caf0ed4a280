"""How well searches of documents answer: questions over pages that a package ships."""
