// shape-layout propagate: an analysis of where each value's elements come from.
#pragma once

#include <unordered_map>
#include <vector>

#include "choir/pass.hpp"

namespace accy::contract {

/// How a value reads from its base: element (i0, i1, ...) of the value is element
/// sum(i_a * strides[a]) of the row-major base. A base is a value that no broadcast, transpose or
/// stride-preserving reshape made.
struct Layout {
  const choir::Value* base = nullptr;
  std::vector<std::int64_t> strides;  ///< in elements; 0 along a broadcast axis
  /// Row-major without gaps over the whole base: the value is a view of it.
  bool contiguous = true;
};

using LayoutMap = std::unordered_map<const choir::Value*, Layout>;

/// Row-major strides of a shape, in elements; the shape's element count must be checked.
std::vector<std::int64_t> row_major_strides(std::span<const std::int64_t> shape);

/// The analysis: a LayoutMap over every tensor value of static shape.
const choir::AnalysisDescriptor& shape_layout_analysis();

/// Computes the analysis and keeps it warm for the passes behind; changes nothing.
choir::Pass shape_layout_pass();

}  // namespace accy::contract
