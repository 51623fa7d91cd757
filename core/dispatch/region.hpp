// Regions: what form a work item's body has. Fusion merges two bodies and asks classify() whether
// the result is one that a kernel generator exists for.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "choir/operation.hpp"
#include "dialect/host/host.hpp"

namespace accy::dispatch {

/// The form of a region. All shapes are static.
struct RegionForm {
  host::ItemKind kind = host::ItemKind::copy;
  /// The iteration space: the outputs' shape (elementwise, copy), the reduced operand's shape (row
  /// pipeline, reduction), the product's shape (contraction).
  std::vector<std::int64_t> domain;
  /// For a row pipeline the number of leading axes of the domain that count rows.
  std::size_t row_axes = 0;
  /// The reductions (in order), or the one matmul.
  std::vector<const choir::Operation*> anchors;
};

/// The form of a body of tensor operations that ends in host.yield, or why it has none.
tl::expected<RegionForm, std::string> classify(const choir::Block& body);

/// constant or weight.
bool is_source(const choir::Operation& operation);
/// Worth storing rather than recomputing: transcendental functions and division.
bool is_expensive(const choir::Operation& operation);
/// A constant with one number in every element, or an iota: a kernel has it without reading.
bool is_immediate(const choir::Operation& operation);

}  // namespace accy::dispatch
