"""A tiny random model of a real omni class, made from its configuration, and its real server.

    python tests/omni/tiny.py build FOLDER          writes model, tokenizer and processors
    python tests/omni/tiny.py serve FOLDER PORT     serves it by `transformers serve`

Needs torch, torchvision, transformers with its serving parts, and librosa. The weights are random:
what it answers means nothing, but text, pictures and sounds pass through real processors and
encoders of Qwen2.5-Omni's thinker.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

SPECIAL = {
    "image_token": "<|IMAGE|>",
    "video_token": "<|VIDEO|>",
    "audio_token": "<|AUDIO|>",
    "vision_bos_token": "<|vision_bos|>",
    "vision_eos_token": "<|vision_eos|>",
    "audio_bos_token": "<|audio_bos|>",
    "audio_eos_token": "<|audio_eos|>",
}
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n"
    "{% if m['content'] is string %}{{ m['content'] }}{% else %}{% for c in m['content'] %}"
    "{% if c['type'] == 'image' %}<|vision_bos|><|IMAGE|><|vision_eos|>"
    "{% elif c['type'] == 'video' %}<|vision_bos|><|VIDEO|><|vision_eos|>"
    "{% elif c['type'] == 'audio' %}<|audio_bos|><|AUDIO|><|audio_eos|>"
    "{% elif c['type'] == 'text' %}{{ c['text'] }}{% endif %}{% endfor %}{% endif %}"
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
WORDS = ["Suggested action: 1.0 45", "Suggested click: (1,2)", "RED, DO", "COMMAND: all move 5 5"]


def build(folder: Path) -> None:
    """Write the model and everything that serving it needs."""
    import torch
    from transformers import (
        GenerationConfig,
        Qwen2_5OmniProcessor,
        Qwen2_5OmniThinkerForConditionalGeneration,
        Qwen2VLImageProcessor,
        Qwen2VLVideoProcessor,
        WhisperFeatureExtractor,
    )

    torch.manual_seed(0)
    tokenizer = _tokenizer()
    model = Qwen2_5OmniThinkerForConditionalGeneration(_config(tokenizer)).eval()
    end = tokenizer.convert_tokens_to_ids("<|im_end|>")
    model.generation_config = GenerationConfig(
        do_sample=True, temperature=1.0, eos_token_id=end, pad_token_id=end, max_new_tokens=24
    )
    small = {"min_pixels": 28 * 28, "max_pixels": 8 * 28 * 28}
    processor = Qwen2_5OmniProcessor(
        image_processor=Qwen2VLImageProcessor(**small),
        video_processor=Qwen2VLVideoProcessor(**small),
        feature_extractor=WhisperFeatureExtractor(feature_size=128),
        tokenizer=tokenizer,
        chat_template=TEMPLATE,
    )
    model.save_pretrained(folder)
    processor.save_pretrained(folder)


def serve(folder: Path, port: int) -> None:
    """Serve the model until the process is ended."""
    import torch
    from transformers.cli.transformers import main

    torch.set_num_threads(1)
    sys.argv = ["transformers", "serve", str(folder), "--host", "127.0.0.1", "--port", str(port)]
    main()


def _tokenizer():
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import Qwen2TokenizerFast

    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1_000,
        special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>", *SPECIAL.values()],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    raw.train_from_iterator(WORDS, trainer)
    return Qwen2TokenizerFast(
        tokenizer_object=raw,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        extra_special_tokens=SPECIAL,
        chat_template=TEMPLATE,
    )


def _config(tokenizer):
    from transformers import Qwen2_5OmniThinkerConfig

    tokens = {name: tokenizer.convert_tokens_to_ids(text) for name, text in SPECIAL.items()}
    return Qwen2_5OmniThinkerConfig(
        audio_config={
            "num_mel_bins": 128, "d_model": 32, "encoder_layers": 1, "encoder_ffn_dim": 64,
            "encoder_attention_heads": 2, "output_dim": 64, "n_window": 100,
            "max_source_positions": 1_500,
        },
        vision_config={
            "depth": 1, "hidden_size": 32, "intermediate_size": 64, "num_heads": 2,
            "out_hidden_size": 64, "patch_size": 14, "fullatt_block_indexes": [0],
        },
        text_config={
            "vocab_size": len(tokenizer), "hidden_size": 64, "intermediate_size": 128,
            "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
            "max_position_embeddings": 32_768, "eos_token_id": tokenizer.eos_token_id,
            "pad_token_id": tokenizer.pad_token_id, "bos_token_id": None,
            "rope_parameters": {
                "rope_type": "default", "mrope_section": [2, 3, 3], "rope_theta": 1e6,
            },
        },
        image_token_id=tokens["image_token"],
        video_token_id=tokens["video_token"],
        audio_token_id=tokens["audio_token"],
        image_token_index=tokens["image_token"],
        video_token_index=tokens["video_token"],
        audio_token_index=tokens["audio_token"],
        vision_start_token_id=tokens["vision_bos_token"],
        vision_end_token_id=tokens["vision_eos_token"],
        audio_start_token_id=tokens["audio_bos_token"],
        audio_end_token_id=tokens["audio_eos_token"],
    )  # fmt: skip


def _mend_torchvision() -> None:
    """Let torchvision load without its compiled operators, and decode pictures with Pillow."""
    import torch

    library = torch.library.Library("torchvision", "FRAGMENT")
    for name in ("nms", "qnms"):
        try:
            getattr(torch.ops.torchvision, name)
        except (AttributeError, RuntimeError):
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    import torchvision.io

    if torchvision.extension._has_ops():
        return
    torchvision.io.decode_image = torchvision.io.image.decode_image = _decoded
    globals()["_kept"] = library


def _decoded(source, mode=None, apply_exif_orientation=False):
    from PIL import Image
    from torchvision.transforms.functional import pil_to_tensor

    opened = Image.open(
        io.BytesIO(source.numpy().tobytes()) if hasattr(source, "numpy") else source
    )
    return pil_to_tensor(opened.convert("RGB"))


if __name__ == "__main__":
    command, folder, *rest = sys.argv[1:]
    _mend_torchvision()
    if command == "build":
        build(Path(folder))
    else:
        serve(Path(folder), int(rest[0]))
