"""Training memories by gradient steps, batched over replicas."""
