"""The harness around a model: perception, memory, reflection, prompts, reply protocol, context."""
