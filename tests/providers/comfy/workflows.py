"""Workflows in the API's format, as the window's usual ones are exported."""

from __future__ import annotations

from typing import Any


def text_to_picture() -> dict[str, Any]:
    """The workflow that ComfyUI opens with."""
    return {
        "3": _node(
            "KSampler",
            "KSampler",
            seed=156680208700286,
            steps=20,
            cfg=8,
            sampler_name="euler",
            denoise=1.0,
            model=["4", 0],
            positive=["6", 0],
            negative=["7", 0],
            latent_image=["5", 0],
        ),
        "4": _node("CheckpointLoaderSimple", "Load Checkpoint", ckpt_name="sd15.safetensors"),
        "5": _node("EmptyLatentImage", "Empty Latent Image", width=512, height=512, batch_size=1),
        "6": _node("CLIPTextEncode", "Positive Prompt", text="a bottle", clip=["4", 1]),
        "7": _node("CLIPTextEncode", "Negative Prompt", text="watermark", clip=["4", 1]),
        "8": _node("VAEDecode", "VAE Decode", samples=["3", 0], vae=["4", 2]),
        "9": _node("SaveImage", "Save Image", filename_prefix="ComfyUI", images=["8", 0]),
    }


def picture_to_picture() -> dict[str, Any]:
    """With two pictures that are loaded, one of them for nothing."""
    nodes = text_to_picture()
    nodes["10"] = _node("LoadImage", "Load Image", image="example.png")
    nodes["11"] = _node("LoadImage", "Load Image", image="example.png")
    nodes["3"]["inputs"]["latent_image"] = ["10", 0]
    return nodes


def _node(class_type: str, title: str, **inputs: Any) -> dict[str, Any]:
    return {"class_type": class_type, "inputs": inputs, "_meta": {"title": title}}
