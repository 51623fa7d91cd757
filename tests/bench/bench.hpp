// What the benchmarks share: the clock, what the user asked for, the documents of results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "choir/module.hpp"

namespace accy::bench {

struct Options {
  std::string benchmark;       ///< "modules", "pipeline", "einsum", "saturation"; empty: all
  std::string target;          ///< a built-in profile for the pipeline; empty: one of each kind
  std::size_t operations = 0;  ///< 0: 10,000 for modules, 1,000 for the pipeline
  std::size_t rounds = 7;      ///< the best of so many counts
  bool wall = false;           ///< the wall's clock instead of the processor's
  bool json = false;
};

/// Nanoseconds: of this process's processor time, which other programs do not stretch, or of a
/// steady clock.
std::int64_t now(bool wall);

/// A semantic module of so many operations in one function, of kinds that occur in programs.
choir::Module build_module(std::size_t operations);
/// What the chains of a program are made of: arithmetic alone, or tanh and exp as well, which every
/// target writes out in many operations.
enum class Chain : std::uint8_t { arithmetic, functions };
/// A semantic program of so many operations: a matmul, then a chain that ends in a residual sum,
/// over and over. Each block has its own constant, so that no two blocks share a kernel.
std::string pipeline_program(std::size_t operations, Chain chain);

/// Build, verify, clone, print and parse of a module of `operations` and of ten times as many.
nlohmann::json measure_modules(const Options& options);
/// A program from its text to code, in one thread and without a store.
nlohmann::json measure_pipeline(const Options& options, const std::string& target, Chain chain);
/// Ordering the contractions of 2 to 32 operands.
nlohmann::json measure_einsum(const Options& options);
/// Saturation of graphs that gain by it and of one that looks like a transformer: time, and the cost
/// of the program before and after.
nlohmann::json measure_saturation(const Options& options);

}  // namespace accy::bench
