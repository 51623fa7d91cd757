// ACCY_EXPORT: what a shared accy shows; everything else is compiled with hidden visibility.
#pragma once

/// Stands before each class and function of the public headers that is not defined there.
#define ACCY_EXPORT __attribute__((visibility("default")))
