// Einstein summation, made of matrix products.
#include <algorithm>
#include <bit>

#include "dialect/tensor/contraction_path.hpp"
#include "dialect/tensor/einsum_equation.hpp"
#include "dialect/tensor/ops/expander.hpp"
#include "support/checked.hpp"

namespace accy::tensor {

using choir::AttributeKind;
using choir::Builder;
using choir::Operation;
using choir::Value;

namespace {

using Labels = std::vector<EinsumLabel>;

LabelSet bit(EinsumLabel label) { return LabelSet{1} << label; }

LabelSet set_of(std::span<const EinsumLabel> labels) {
  LabelSet set = 0;
  for (EinsumLabel label : labels) set |= bit(label);
  return set;
}

/// Those of the labels that are in the set, in their order.
Labels chosen(std::span<const EinsumLabel> labels, LabelSet set) {
  Labels found;
  for (EinsumLabel label : labels)
    if ((bit(label) & set) != 0) found.push_back(label);
  return found;
}

Labels joined(const Labels& a, const Labels& b) {
  Labels both = a;
  both.insert(both.end(), b.begin(), b.end());
  return both;
}

/// A tensor with a label for each axis, all different.
struct Part {
  Value* value = nullptr;
  Labels labels;
};

/// Writes the steps of one einsum.
class Contraction {
 public:
  Contraction(Expander& expander, std::span<const Dimension> sizes)
      : expander_(expander), sizes_(sizes) {}

  /// An operand without repeated labels and without axes of the ellipsis that only repeat.
  Part prepare(Part part) {
    for (std::size_t first = 0; first < part.labels.size(); ++first) {
      for (std::size_t second = part.labels.size() - 1; second > first; --second) {
        if (part.labels[second] != part.labels[first]) continue;
        part.value = expander_.diagonal(part.value, first, second);
        part.labels.erase(part.labels.begin() + static_cast<std::ptrdiff_t>(second));
      }
    }
    const TensorType type = Expander::type_of(part.value);
    Part kept;
    std::vector<Dimension> shape;
    for (std::size_t axis = 0; axis < part.labels.size(); ++axis) {
      if (type.dimension(axis) != sizes_[part.labels[axis]]) continue;
      kept.labels.push_back(part.labels[axis]);
      shape.push_back(type.dimension(axis));
    }
    kept.value = expander_.reshape(part.value, shape);
    return kept;
  }

  /// Sums over the labels outside the set.
  Part sum_out(Part part, LabelSet kept) {
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < part.labels.size(); ++axis)
      if ((bit(part.labels[axis]) & kept) == 0) axes.push_back(axis);
    if (axes.empty()) return part;
    return {expander_.reduce("sum", part.value, axes), chosen(part.labels, kept)};
  }

  /// The product of two parts, summed over what both have and nothing else needs.
  Part contract(const Part& a, const Part& b, LabelSet kept) {
    const LabelSet in_a = set_of(a.labels);
    const LabelSet in_b = set_of(b.labels);
    const Labels batch = chosen(a.labels, in_b & kept);
    const Labels summed = chosen(a.labels, in_b & ~kept);
    const Labels left = chosen(a.labels, ~in_b);
    const Labels right = chosen(b.labels, ~in_a);
    const Labels result = joined(joined(batch, left), right);
    if (summed.empty()) return {multiply(a, b, result), result};
    Value* x = flat(a, batch, left, summed);
    Value* y = flat(b, batch, summed, right);
    return {expander_.reshape(expander_.matmul(x, y), shape_of(result)), result};
  }

  Value* transposed(const Part& part, const Labels& order) {
    std::vector<std::size_t> permutation;
    for (EinsumLabel label : order)
      permutation.push_back(
          static_cast<std::size_t>(std::ranges::find(part.labels, label) - part.labels.begin()));
    return expander_.transpose(part.value, permutation);
  }

 private:
  std::vector<Dimension> shape_of(const Labels& labels) const {
    std::vector<Dimension> shape;
    for (EinsumLabel label : labels) shape.push_back(sizes_[label]);
    return shape;
  }
  Dimension count(const Labels& labels) const {
    std::int64_t elements = 1;
    for (EinsumLabel label : labels) elements *= sizes_[label].size;
    return {elements, {}};
  }

  /// [batch, rows, columns], without the batch where there is none.
  Value* flat(const Part& part, const Labels& batch, const Labels& rows, const Labels& columns) {
    std::vector<Dimension> shape;
    if (!batch.empty()) shape.push_back(count(batch));
    shape.push_back(count(rows));
    shape.push_back(count(columns));
    return expander_.reshape(transposed(part, joined(joined(batch, rows), columns)), shape);
  }

  Value* multiply(const Part& a, const Part& b, const Labels& result) {
    return expander_.multiply(spread(a, result), spread(b, result));
  }
  Value* spread(const Part& part, const Labels& result) {
    const Labels order = chosen(result, set_of(part.labels));
    Value* value = transposed(part, order);
    if (order.size() == result.size()) return value;
    std::vector<std::size_t> axes;
    for (EinsumLabel label : order)
      axes.push_back(static_cast<std::size_t>(std::ranges::find(result, label) - result.begin()));
    return expander_.broadcast(value, shape_of(result), axes);
  }

  Expander& expander_;
  std::span<const Dimension> sizes_;
};

Result<EinsumEquation> equation_of(const Operation& operation, std::vector<TensorType>& types) {
  std::vector<std::size_t> ranks;
  for (std::size_t index = 0; index < operation.operand_count(); ++index) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, index));
    types.push_back(type);
    ranks.push_back(type.rank());
  }
  ACCY_TRY_ASSIGN(const choir::Attribute text,
                  required_attribute(operation, "equation", AttributeKind::string));
  return read_einsum_equation(text.text(), ranks);
}

/// Which labels the result or a part other than these two has.
LabelSet needed(std::span<const Part> parts, LabelSet output, std::size_t first,
                std::size_t second) {
  LabelSet set = output;
  for (std::size_t index = 0; index < parts.size(); ++index)
    if (index != first && index != second) set |= set_of(parts[index].labels);
  return set;
}

Result<ContractionPath> path_of(const Operation& operation, std::span<const Part> parts,
                                LabelSet output, std::span<const Dimension> sizes) {
  static constexpr std::string_view paths[] = {"optimal", "given"};
  ACCY_TRY_ASSIGN(const std::size_t choice, choice_attribute(operation, "path", paths));
  if (choice == 1 || parts.size() < 2) return given_path(parts.size());
  std::vector<double> numbers;
  for (const Dimension& size : sizes) numbers.push_back(static_cast<double>(size.size));
  ContractionProblem problem{.operands = {},
                             .output = output,
                             .sizes = numbers,
                             .rank_maximum = static_cast<int>(limits::rank)};
  for (const Part& part : parts) problem.operands.push_back(set_of(part.labels));
  ContractionPath path = best_path(problem);
  return path.empty() ? given_path(parts.size()) : path;
}

}  // namespace

struct Einsum : Operator {
  static constexpr Family family = Family::einsum;
  static constexpr std::string_view name = "tensor.einsum";
  static constexpr std::string_view summary =
      "the product of the operands summed over the indices that the result does not have, by an "
      "equation as NumPy's: letters, a repeated one for a diagonal, an ellipsis that broadcasts";
  static constexpr int operand_count = -1;
  static constexpr std::array attributes{
      AttributeRule{"equation", AttributeKind::string, true, "as \"ij,jk->ik\""},
      AttributeRule{"path", AttributeKind::word, false,
                    "optimal (the default: fewest multiplications) or given (from the left)"}};

  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    static constexpr std::string_view paths[] = {"optimal", "given"};
    std::vector<TensorType> types;
    ACCY_TRY_ASSIGN(const EinsumEquation equation, equation_of(operation, types));
    ACCY_TRY(choice_attribute(operation, "path", paths));
    ACCY_TRY(check_numeric(types[0]));
    for (std::size_t index = 1; index < types.size(); ++index)
      if (types[index].element() != types[0].element())
        return invalid("element types differ (" + std::string(to_string(types[0].element())) +
                       " and " + std::string(to_string(types[index].element())) + ")");
    ACCY_TRY_ASSIGN(const std::vector<Dimension> sizes, einsum_sizes(equation, types));
    if (equation.output.size() > limits::rank)
      return invalid("rank (" + std::to_string(equation.output.size()) + ") exceeds the limit (" +
                     std::to_string(limits::rank) + ")");
    std::vector<Dimension> shape;
    for (EinsumLabel label : equation.output) shape.push_back(sizes[label]);
    ACCY_TRY(check_elements(shape));
    return std::vector<choir::Type>{
        TensorType::get(operation.context(), types[0].element(), shape)};
  }

  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    std::vector<TensorType> types;
    ACCY_TRY_ASSIGN(const EinsumEquation equation, equation_of(operation, types));
    ACCY_TRY_ASSIGN(const std::vector<Dimension> sizes, einsum_sizes(equation, types));
    const LabelSet output = set_of(equation.output);
    Expander expander(builder, types[0]);
    Contraction contraction(expander, sizes);
    std::vector<Part> parts;
    for (std::size_t index = 0; index < types.size(); ++index)
      parts.push_back(contraction.prepare({operation.operand(index), equation.operands[index]}));
    for (std::size_t index = 0; index < parts.size(); ++index)
      parts[index] = contraction.sum_out(parts[index], needed(parts, output, index, index));
    ACCY_TRY_ASSIGN(const ContractionPath path, path_of(operation, parts, output, sizes));
    for (const auto& [first, second] : path) {
      const LabelSet kept = needed(parts, output, first, second);
      ACCY_TRY(check_size(parts[first], parts[second], kept, sizes));
      Part made = contraction.contract(parts[first], parts[second], kept);
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(second));
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(first));
      parts.push_back(std::move(made));
    }
    return contraction.transposed(parts[0], equation.output);
  }

 private:
  /// What is between keeps the limits of every tensor.
  static Status check_size(const Part& a, const Part& b, LabelSet kept,
                           std::span<const Dimension> sizes) {
    const LabelSet set = (set_of(a.labels) | set_of(b.labels)) & kept;
    const auto rank = static_cast<std::size_t>(std::popcount(set));
    if (rank > limits::rank)
      return invalid("a contraction has rank (" + std::to_string(rank) +
                     "), which exceeds the limit (" + std::to_string(limits::rank) + ")");
    std::vector<Dimension> shape;
    for (LabelSet rest = set; rest != 0; rest &= rest - 1)
      shape.push_back(sizes[static_cast<std::size_t>(std::countr_zero(rest))]);
    return check_elements(shape);
  }
};

template const choir::OperationDefinition& definition<Einsum>();

}  // namespace accy::tensor
