#include "dispatch/region.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "choir/value_table.hpp"
#include "dialect/tensor/interfaces.hpp"
#include "dialect/tensor/placement.hpp"
#include "dialect/tensor/type.hpp"

namespace accy::dispatch {

using choir::Operation;
using choir::Value;
using host::ItemKind;

bool is_source(const Operation& operation) {
  return operation.name() == "tensor.constant" || operation.name() == "tensor.weight";
}

bool is_expensive(const Operation& operation) {
  const auto* effort = operation.definition().interface<tensor::Effort>();
  return effort != nullptr && effort->expensive;
}

bool is_immediate(const Operation& operation) {
  if (operation.name() == "tensor.iota") return true;
  if (operation.name() != "tensor.constant") return false;
  const choir::Attribute value = operation.attribute("value");
  return value.is(choir::AttributeKind::integer) || value.is(choir::AttributeKind::floating) ||
         value.is(choir::AttributeKind::boolean);
}

namespace {

std::vector<std::int64_t> shape_of(const Value* value) {
  return tensor::TensorType::from(value->type())->static_shape();
}

// What an index of a value is, as a function of a point of the iteration space.
constexpr int zero_index = -1;   // always element 0
constexpr int other_index = -2;  // something no axis of the space equals
using IndexMap = std::vector<int>;

IndexMap identity_map(std::size_t rank) {
  IndexMap map(rank);
  for (std::size_t axis = 0; axis < rank; ++axis) map[axis] = static_cast<int>(axis);
  return map;
}

/// The map of the operand of a movement other than a reshape.
IndexMap map_sources(const Operation& operation, const tensor::Placement& placement,
                     const IndexMap& map) {
  IndexMap result;
  for (const tensor::AxisSource& source :
       placement.sources(operation, shape_of(operation.operand(0)), shape_of(operation.result()))) {
    const bool same = source.scale == 1 && source.offset == 0;
    result.push_back(source.axis == tensor::AxisSource::none ? zero_index
                     : same ? map[static_cast<std::size_t>(source.axis)]
                            : other_index);
  }
  return result;
}

/// Exact where the reshape only adds or removes axes of size one.
IndexMap map_reshape(const Operation& operation, const IndexMap& map) {
  const auto from = shape_of(operation.operand(0));
  const auto to = shape_of(operation.result());
  IndexMap kept;
  std::vector<std::int64_t> kept_sizes;
  for (std::size_t axis = 0; axis < to.size(); ++axis)
    if (to[axis] != 1) {
      kept.push_back(map[axis]);
      kept_sizes.push_back(to[axis]);
    }
  std::vector<std::int64_t> wanted_sizes;
  for (std::int64_t size : from)
    if (size != 1) wanted_sizes.push_back(size);
  const bool exact = kept_sizes == wanted_sizes;
  IndexMap result;
  std::size_t next = 0;
  for (std::int64_t size : from)
    result.push_back(size == 1 ? zero_index : exact ? kept[next++] : other_index);
  return result;
}

/// An axis of size one has index 0 whatever names it.
IndexMap normalized(IndexMap map, std::span<const std::int64_t> shape) {
  for (std::size_t axis = 0; axis < map.size(); ++axis)
    if (shape[axis] == 1) map[axis] = zero_index;
  return map;
}

/// Walks a body from its roots towards its arguments with index maps, and checks that every anchor
/// is read at exactly the index where the generator has its value.
class Walker {
 public:
  explicit Walker(IndexMap anchor_map) : anchor_map_(std::move(anchor_map)) {}

  void walk(const Value* root, const IndexMap& map) { walk(root, number_of(map)); }
  bool exact() const { return exact_; }

 private:
  /// Bodies have many values and few maps: each map is one number.
  std::size_t number_of(const IndexMap& map) {
    const auto known = std::ranges::find(maps_, map);
    const auto number = static_cast<std::size_t>(known - maps_.begin());
    if (number == maps_.size()) maps_.push_back(map);
    return number;
  }

  bool is_visited(const Value* value, std::size_t map) {
    Seen& seen = visited_[value];
    if (seen.first != none) return seen.first == map || !more_.insert({value, map}).second;
    seen.first = map;
    return false;
  }

  void walk(const Value* value, std::size_t number) {
    const Operation* operation = value->defining_operation();
    if (operation == nullptr || is_source(*operation) || is_visited(value, number)) return;
    const std::string_view name = operation->name();
    if (name == "tensor.reduce" || name == "tensor.matmul") {
      const auto shape = shape_of(value);
      exact_ = exact_ && normalized(maps_[number], shape) == normalized(anchor_map_, shape);
      return;
    }
    const auto* placement = operation->definition().interface<tensor::Placement>();
    std::size_t next = number;
    if (placement != nullptr && placement->row_major)
      next = number_of(map_reshape(*operation, maps_[number]));
    else if (placement != nullptr && placement->sources != nullptr)
      next = number_of(map_sources(*operation, *placement, maps_[number]));
    const bool elsewhere = placement != nullptr && !tensor::is_movement(*operation);
    for (const Value* operand : operation->operands())
      walk(operand, elsewhere ? number_of(IndexMap(shape_of(operand).size(), other_index)) : next);
  }

  IndexMap anchor_map_;
  std::vector<IndexMap> maps_;
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  struct Seen {
    std::size_t first = none;
  };
  choir::ValueTable<Seen> visited_;                      // with the first map
  std::set<std::pair<const Value*, std::size_t>> more_;  // with other ones; membership only
  bool exact_ = true;
};

std::vector<std::int64_t> axes_of(const Operation& reduce) {
  std::vector<std::int64_t> axes;
  for (choir::Attribute axis : reduce.attribute("axes").array()) axes.push_back(axis.integer());
  return axes;
}

bool is_trailing(std::span<const std::int64_t> axes, std::size_t rank) {
  for (std::size_t index = 0; index < axes.size(); ++index)
    if (axes[index] != static_cast<std::int64_t>(rank - axes.size() + index)) return false;
  return true;
}

using Form = tl::expected<RegionForm, std::string>;
tl::unexpected<std::string> refuse(std::string reason) {
  return tl::unexpected<std::string>(std::move(reason));
}

Form classify_elementwise(const Operation& yield, bool computes) {
  RegionForm form{.kind = computes ? ItemKind::elementwise : ItemKind::copy,
                  .domain = shape_of(yield.operand(0))};
  for (std::size_t index = 1; index < yield.operand_count(); ++index)
    if (shape_of(yield.operand(index)) != form.domain)
      return refuse("outputs of different shapes");
  return form;
}

Form classify_rows(const Operation& yield, std::vector<const Operation*> reductions) {
  const auto axes = axes_of(*reductions.front());
  RegionForm form{.kind = ItemKind::row_pipeline,
                  .domain = shape_of(reductions.front()->operand(0))};
  form.row_axes = form.domain.size() - axes.size();
  const std::vector<std::int64_t> rows(
      form.domain.begin(), form.domain.begin() + static_cast<std::ptrdiff_t>(form.row_axes));
  Walker walker(identity_map(form.row_axes));
  for (const Operation* reduce : reductions) {
    if (shape_of(reduce->operand(0)) != form.domain || axes_of(*reduce) != axes)
      return refuse("reductions over different rows");
    walker.walk(reduce->operand(0), identity_map(form.domain.size()));
  }
  for (std::size_t index = 0; index < yield.operand_count(); ++index) {
    const auto shape = shape_of(yield.operand(index));
    if (shape != form.domain && shape != rows)
      return refuse("an output is neither rows nor elements");
    walker.walk(yield.operand(index), identity_map(shape.size()));
  }
  if (!walker.exact()) return refuse("a reduction is read at another row");
  form.anchors = std::move(reductions);
  return form;
}

/// One reduction over any axes, or one matmul, with a prologue on its operands and an epilogue on
/// its result.
Form classify_anchored(const Operation& yield, const Operation* anchor, ItemKind kind) {
  RegionForm form{.kind = kind, .anchors = {anchor}};
  const auto result = shape_of(anchor->result());
  form.domain = kind == ItemKind::reduction ? shape_of(anchor->operand(0)) : result;
  Walker walker(identity_map(result.size()));
  for (std::size_t index = 0; index < yield.operand_count(); ++index) {
    if (shape_of(yield.operand(index)) != result)
      return refuse("an output differs in shape from the anchor's result");
    walker.walk(yield.operand(index), identity_map(result.size()));
  }
  if (!walker.exact()) return refuse("the anchor's result is read at another place");
  return form;
}

}  // namespace

tl::expected<RegionForm, std::string> classify(const choir::Block& body) {
  std::vector<const Operation*> reductions;
  std::vector<const Operation*> products;
  bool computes = false;
  for (const Operation* operation = body.front(); operation != nullptr;
       operation = operation->next()) {
    if (operation->name() == "tensor.reduce") reductions.push_back(operation);
    if (operation->name() == "tensor.matmul") products.push_back(operation);
    computes = computes || (!tensor::is_movement(*operation) && !is_source(*operation) &&
                            !is_immediate(*operation) && operation->name() != "host.yield");
  }
  const Operation& yield = *body.terminator();
  if (yield.operand_count() == 0) return refuse("no output");
  if (reductions.empty() && products.empty()) return classify_elementwise(yield, computes);
  if (!products.empty()) {
    if (products.size() > 1) return refuse("two contractions");
    if (!reductions.empty()) return refuse("a contraction and a reduction");
    return classify_anchored(yield, products.front(), ItemKind::contraction);
  }
  const bool rows = std::all_of(reductions.begin(), reductions.end(), [](const Operation* reduce) {
    return is_trailing(axes_of(*reduce), shape_of(reduce->operand(0)).size());
  });
  if (rows) return classify_rows(yield, std::move(reductions));
  if (reductions.size() > 1) return refuse("two reductions, not both along rows");
  return classify_anchored(yield, reductions.front(), ItemKind::reduction);
}

}  // namespace accy::dispatch
