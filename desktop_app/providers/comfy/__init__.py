"""What a ComfyUI server asks of its adapter: workflows, queue and history, files, progress."""
