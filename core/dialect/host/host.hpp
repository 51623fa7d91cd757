// The host dialect: the one function that says what runs in which order, from the dispatch stage
// on.
//
//   dispatch  values: `host.item` computes tensors from tensors, `host.view` reshapes
//   memory    places: `host.item_into` reads and writes blocks; blocks have spaces and offsets
//   kernel    `host.launch` runs a kernel.func of the module over a grid
//   target    `host.launch` runs a `target.code` of the module
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "accy/element_type.hpp"
#include "choir/builder.hpp"
#include "choir/module.hpp"

namespace accy::host {

/// Where a block lives.
enum class Space : std::uint8_t { input, output, constant, arena, workspace };
std::string_view to_string(Space space);
std::optional<Space> space_from(std::string_view name);

/// `block<f32, [8, 64], arena>`: contiguous row-major elements at a place that the plan decides.
class BlockType {
 public:
  static BlockType get(choir::Context& context, ElementType element,
                       std::span<const std::int64_t> shape, Space space);
  /// Null when the type is no block.
  static std::optional<BlockType> from(choir::Type type);
  choir::Type type() const { return type_; }
  ElementType element() const;
  std::vector<std::int64_t> shape() const;
  Space space() const;
  /// Checked when the type was verified.
  std::int64_t element_count() const;
  std::int64_t size_bytes() const;

 private:
  explicit BlockType(choir::Type type) : type_(type) {}
  choir::Type type_;
};

/// What a work item is, decided by fusion; a generator exists for each kind.
enum class ItemKind : std::uint8_t { elementwise, row_pipeline, reduction, contraction, copy };
std::string_view to_string(ItemKind kind);
std::optional<ItemKind> item_kind_from(std::string_view name);

/// Alignment of every block in the arena, the constants and the workspace, in bytes.
inline constexpr std::int64_t block_alignment = 256;

/// The place of a value of block type: its space, and its byte offset in it through views. For
/// inputs and outputs `argument` is the index of the function's argument.
struct Place {
  Space space = Space::arena;
  std::size_t argument = 0;
  std::int64_t offset_bytes = 0;
  std::int64_t size_bytes = 0;
};
Place place_of(const choir::Value& block);

/// The module's only host.func; null before the dispatch stage.
choir::Operation* find_function(const choir::Module& module);

/// The attribute `name` of an operation as integers; asserts that it is an array of three.
std::array<std::int64_t, 3> triple(const choir::Operation& operation, std::string_view name);
/// Integer attribute, or the default when absent.
std::int64_t integer_or(const choir::Operation& operation, std::string_view name,
                        std::int64_t otherwise);
/// Strings of an array attribute; empty when absent.
std::vector<std::string_view> strings(const choir::Operation& operation, std::string_view name);

void register_host_dialect(choir::Registry& registry);

}  // namespace accy::host
