#!/usr/bin/env python3
"""Trains the digits classifier and writes its weights and its test set.

Needed only to retrain: the files it writes are kept in the repository. It wants
numpy and scikit-learn, and gives the same result on every run on one machine.

    python3 train.py
"""

import json
import pathlib
import struct

import numpy as np
from sklearn.datasets import load_digits

SEED = 1
TEST_COUNT = 359  # not a multiple of 8 or 16, so that a batch has a tail
LAYER_SIZES = [64, 64, 32, 10]
EPOCHS = 80
BATCH = 32
LEARNING_RATE = 2e-3
WEIGHT_DECAY = 1e-2
PIXEL_MAX = np.float32(16)

HERE = pathlib.Path(__file__).resolve().parent


def split(labels, test_count, random):
    """Stratified: of the shuffled images, the last of each digit are the test set."""
    digits, counts = np.unique(labels, return_counts=True)
    exact = counts * test_count / len(labels)
    quota = exact.astype(int)
    # The digits with the largest remainders take what rounding down left over.
    left_over = test_count - quota.sum()
    quota[np.argsort(quota - exact, kind="stable")[:left_over]] += 1

    order = random.permutation(len(labels))
    in_test = np.zeros(len(labels), bool)
    for digit, count in zip(digits, quota):
        in_test[np.flatnonzero(labels[order] == digit)[-count:]] = True
    return order[~in_test], order[in_test]


def initialize(random):
    """He-normal weights, stored [in, out], and zero biases, layer after layer."""
    parameters = []
    for inputs, outputs in zip(LAYER_SIZES, LAYER_SIZES[1:]):
        weight = random.standard_normal((inputs, outputs)) * np.sqrt(2 / inputs)
        parameters += [weight.astype(np.float32), np.zeros(outputs, np.float32)]
    return parameters


def forward(parameters, images):
    """The input of each layer, then the probabilities."""
    activations = [images]
    layers = list(zip(parameters[0::2], parameters[1::2]))
    for weight, bias in layers[:-1]:
        activations.append(np.maximum(activations[-1] @ weight + bias, np.float32(0)))
    weight, bias = layers[-1]
    logits = activations[-1] @ weight + bias
    exponentials = np.exp(logits - logits.max(axis=1, keepdims=True))
    return activations + [exponentials / exponentials.sum(axis=1, keepdims=True)]


def gradients(parameters, images, labels):
    """Of the mean cross-entropy, in the order of the parameters."""
    *activations, probabilities = forward(parameters, images)
    delta = probabilities.copy()
    delta[np.arange(len(labels)), labels] -= 1
    delta /= np.float32(len(labels))
    result = []
    for layer in reversed(range(len(activations))):
        result = [activations[layer].T @ delta, delta.sum(axis=0)] + result
        if layer > 0:
            delta = (delta @ parameters[2 * layer].T) * (activations[layer] > 0)
    return result


def train(images, labels):
    """Adam with decoupled weight decay; the learning rate falls along a cosine to zero."""
    random = np.random.default_rng(SEED)
    parameters = initialize(random)
    means = [np.zeros_like(p) for p in parameters]
    squares = [np.zeros_like(p) for p in parameters]
    step, step_count = 0, EPOCHS * -(-len(images) // BATCH)
    for _ in range(EPOCHS):
        order = random.permutation(len(images))
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            step += 1
            rate = LEARNING_RATE * (1 + np.cos(np.pi * step / step_count)) / 2
            for i, g in enumerate(gradients(parameters, images[chosen], labels[chosen])):
                means[i] += 0.1 * (g - means[i])
                squares[i] += 0.001 * (g * g - squares[i])
                mean = means[i] / (1 - 0.9**step)
                square = squares[i] / (1 - 0.999**step)
                decay = WEIGHT_DECAY * parameters[i] if parameters[i].ndim == 2 else 0
                parameters[i] -= (rate * (mean / (np.sqrt(square) + 1e-8) + decay)).astype(np.float32)
    return parameters


def accuracy(parameters, images, labels):
    return np.mean(forward(parameters, images)[-1].argmax(axis=1) == labels)


def write_safetensors(path, tensors):
    header, offset = {}, 0
    for name, tensor in tensors.items():
        header[name] = {
            "dtype": "F32",
            "shape": list(tensor.shape),
            "data_offsets": [offset, offset + tensor.nbytes],
        }
        offset += tensor.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    data = b"".join(tensor.astype("<f4").tobytes() for tensor in tensors.values())
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def main():
    images, labels = load_digits(return_X_y=True)
    images, labels = images.astype(np.float32), labels.astype(np.int32)
    train_set, test_set = split(labels, TEST_COUNT, np.random.default_rng(SEED))

    # The files hold raw pixels, 0 to 16; scaling them is part of the program.
    scaled = images / PIXEL_MAX
    parameters = train(scaled[train_set], labels[train_set])
    print(f"train accuracy {accuracy(parameters, scaled[train_set], labels[train_set]):.4f}")
    print(f"test accuracy  {accuracy(parameters, scaled[test_set], labels[test_set]):.4f}")

    names = [f"dense{n}.{part}" for n in (1, 2, 3) for part in ("weight", "bias")]
    write_safetensors(HERE / "digits.safetensors", dict(zip(names, parameters)))
    np.save(HERE / "images.npy", np.ascontiguousarray(images[test_set], "<f4"))
    np.save(HERE / "labels.npy", np.ascontiguousarray(labels[test_set], "<i4"))


if __name__ == "__main__":
    main()
