"""Writes a language model of half a megabyte that has learnt nothing: its words are noise, but the
server around it behaves like one with a real model.

Run in an environment with ``gguf`` and ``numpy``: ``python make_tiny_gguf.py TARGET``.
"""

from __future__ import annotations

import string
import sys

import gguf
import numpy as np

WIDTH, LAYERS, HEADS, INNER, CONTEXT = 64, 2, 4, 128, 1024
UNKNOWN, CONTROL, NORMAL, BYTE = 2, 3, 1, 6  # llama.cpp's kinds of tokens
TEMPLATE = (
    "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}"
    "assistant:"
)


def vocabulary() -> tuple[list[bytes], list[int]]:
    """Every byte, so that any text can be read, and letters, so that answers have some."""
    tokens = [b"<unk>", b"<s>", b"</s>", *(f"<0x{byte:02X}>".encode() for byte in range(256))]
    kinds = [UNKNOWN, CONTROL, CONTROL, *[BYTE] * 256]
    letters = ["\u2581", *string.ascii_letters, *string.digits, *'.,!?:-"{}[]', "红", "鞋"]
    tokens += [letter.encode() for letter in letters]
    kinds += [NORMAL] * len(letters)
    return tokens, kinds


def main(target: str) -> None:
    """Write the file."""
    tokens, kinds = vocabulary()
    dice = np.random.default_rng(20260101)

    def noise(*shape: int) -> np.ndarray:
        return (dice.standard_normal(shape) * 0.1).astype(np.float32)

    out = gguf.GGUFWriter(target, "llama")
    out.add_name("tiny-noise")
    out.add_context_length(CONTEXT)
    out.add_embedding_length(WIDTH)
    out.add_block_count(LAYERS)
    out.add_feed_forward_length(INNER)
    out.add_head_count(HEADS)
    out.add_head_count_kv(HEADS)
    out.add_layer_norm_rms_eps(1e-5)
    out.add_rope_dimension_count(WIDTH // HEADS)
    out.add_vocab_size(len(tokens))
    out.add_file_type(0)
    out.add_tokenizer_model("llama")
    out.add_tokenizer_pre("default")
    out.add_token_list(tokens)
    out.add_token_scores([-float(place) for place in range(len(tokens))])
    out.add_token_types(kinds)
    out.add_bos_token_id(1)
    out.add_eos_token_id(2)
    out.add_unk_token_id(0)
    out.add_chat_template(TEMPLATE)
    out.add_tensor("token_embd.weight", noise(len(tokens), WIDTH))
    out.add_tensor("output_norm.weight", np.ones(WIDTH, np.float32))
    out.add_tensor("output.weight", noise(len(tokens), WIDTH))
    for layer in range(LAYERS):
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            out.add_tensor(f"blk.{layer}.{name}.weight", noise(WIDTH, WIDTH))
        for name in ("attn_norm", "ffn_norm"):
            out.add_tensor(f"blk.{layer}.{name}.weight", np.ones(WIDTH, np.float32))
        for name in ("ffn_gate", "ffn_up"):
            out.add_tensor(f"blk.{layer}.{name}.weight", noise(INNER, WIDTH))
        out.add_tensor(f"blk.{layer}.ffn_down.weight", noise(WIDTH, INNER))
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()


if __name__ == "__main__":
    main(sys.argv[1])
