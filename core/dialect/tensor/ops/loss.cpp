// Losses. Each computes in f32 where the operands are narrower. Of the elementwise ones the
// attribute `reduction` makes a mean, a sum or nothing.
#include <algorithm>
#include <numeric>

#include "dialect/tensor/ops/expander.hpp"

namespace accy::tensor {

using choir::AttributeKind;
using choir::Builder;
using choir::Operation;
using choir::Value;

namespace {

enum class Reduction : std::uint8_t { mean, sum, none };

constexpr AttributeRule reduction_rule{"reduction", AttributeKind::word, false,
                                       "mean (the default), sum or none"};

Result<Reduction> reduction_of(const Operation& operation) {
  static constexpr std::string_view names[] = {"mean", "sum", "none"};
  ACCY_TRY_ASSIGN(const std::size_t index, choice_attribute(operation, "reduction", names));
  return static_cast<Reduction>(index);
}

/// A scalar, or the shape where nothing is reduced.
Result<std::vector<choir::Type>> infer_reduced(const Operation& operation, TensorType whole) {
  ACCY_TRY_ASSIGN(const Reduction reduction, reduction_of(operation));
  if (reduction == Reduction::none) return std::vector<choir::Type>{whole};
  return std::vector<choir::Type>{
      TensorType::get(operation.context(), whole.element(), std::span<const Dimension>())};
}

std::vector<std::size_t> all_axes(TensorType type) {
  std::vector<std::size_t> axes(type.rank());
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

double count_of(TensorType type) {
  double count = 1;
  for (const std::int64_t size : type.static_shape()) count *= static_cast<double>(size);
  return count;
}

Value* reduce_loss(Expander& expander, Value* loss, Reduction reduction) {
  const TensorType type = Expander::type_of(loss);
  if (reduction == Reduction::none) return loss;
  const auto axes = all_axes(type);
  return reduction == Reduction::sum ? expander.reduce("sum", loss, axes)
                                     : expander.mean(loss, axes, count_of(type));
}

/// A loss of two float tensors of one type, element by element:
/// `Op::write(expander, x, target, numbers)` with its number attributes, which stand in front of
/// `reduction`.
template <class Op, std::size_t Count = 0>
struct ElementwiseLoss : Operator {
  static constexpr Family family = Family::loss;
  static constexpr int operand_count = 2;
  static constexpr std::array attributes{reduction_rule};
  static constexpr std::array<double, Count> defaults{};

  static Result<std::array<double, Count>> numbers(const Operation& operation) {
    std::array<double, Count> made{};
    for (std::size_t index = 0; index < made.size(); ++index) {
      ACCY_TRY_ASSIGN(made[index],
                      number_attribute(operation, Op::attributes[index].name, Op::defaults[index]));
    }
    return made;
  }
  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const TensorType target, operand_type(operation, 1));
    ACCY_TRY(check_float(type));
    ACCY_TRY(check_equal(type, target));
    ACCY_TRY(numbers(operation));
    return infer_reduced(operation, type);
  }
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    ACCY_TRY_ASSIGN(const Reduction reduction, reduction_of(operation));
    ACCY_TRY_ASSIGN(const auto given, numbers(operation));
    return expand_in_f32<2>(operation, builder, [&](Expander& expander, Value* x, Value* y) {
      return reduce_loss(expander, Op::write(expander, x, y, given), reduction);
    });
  }
};

}  // namespace

struct MseLoss : ElementwiseLoss<MseLoss> {
  static constexpr std::string_view name = "tensor.mse_loss";
  static constexpr std::string_view summary = "(x - target)^2";
  static Value* write(Expander& expander, Value* x, Value* y, std::array<double, 0>) {
    return expander.square(expander.subtract(x, y));
  }
};

struct MaeLoss : ElementwiseLoss<MaeLoss> {
  static constexpr std::string_view name = "tensor.mae_loss";
  static constexpr std::string_view summary = "|x - target|";
  static Value* write(Expander& expander, Value* x, Value* y, std::array<double, 0>) {
    return expander.absolute(expander.subtract(x, y));
  }
};

struct HuberLoss : ElementwiseLoss<HuberLoss, 1> {
  static constexpr std::string_view name = "tensor.huber_loss";
  static constexpr std::string_view summary =
      "with d = |x - target|: d^2 / 2 up to delta, delta * (d - delta / 2) beyond";
  static constexpr std::array attributes{AttributeRule{"delta", {}, false, "1 by default"},
                                         reduction_rule};
  static constexpr std::array defaults{1.0};
  static Value* write(Expander& expander, Value* x, Value* y, std::array<double, 1> numbers) {
    Value* distance = expander.absolute(expander.subtract(x, y));
    Value* half = expander.multiply(expander.constant(0.5), expander.square(distance));
    Value* linear =
        expander.multiply(expander.constant(numbers[0]),
                          expander.subtract(distance, expander.constant(0.5 * numbers[0])));
    return expander.select(expander.compare("le", distance, expander.constant(numbers[0])), half,
                           linear);
  }
};

struct BceWithLogitsLoss : ElementwiseLoss<BceWithLogitsLoss> {
  static constexpr std::string_view name = "tensor.bce_with_logits_loss";
  static constexpr std::string_view summary =
      "softplus(x) - x * target: the binary cross-entropy of sigmoid(x), without overflow";
  static Value* write(Expander& expander, Value* x, Value* y, std::array<double, 0>) {
    return expander.subtract(expander.unary("tensor.softplus", x), expander.multiply(x, y));
  }
};

struct KlDivLoss : ElementwiseLoss<KlDivLoss> {
  static constexpr std::string_view name = "tensor.kl_div_loss";
  static constexpr std::string_view summary =
      "target * (log(target) - x), x being logarithms of probabilities; 0 where the target is 0";
  static Value* write(Expander& expander, Value* x, Value* y, std::array<double, 0>) {
    Value* zero = expander.constant(0);
    Value* loss = expander.multiply(y, expander.subtract(expander.logarithm(y), x));
    return expander.where_equal(y, zero, zero, loss);
  }
};

struct HingeLoss : ElementwiseLoss<HingeLoss, 1> {
  static constexpr std::string_view name = "tensor.hinge_loss";
  static constexpr std::string_view summary =
      "max(0, margin - x * target), the target being -1 or 1";
  static constexpr std::array attributes{AttributeRule{"margin", {}, false, "1 by default"},
                                         reduction_rule};
  static constexpr std::array defaults{1.0};
  static Value* write(Expander& expander, Value* x, Value* y, std::array<double, 1> numbers) {
    Value* rest = expander.subtract(expander.constant(numbers[0]), expander.multiply(x, y));
    return expander.maximum(rest, expander.constant(0));
  }
};

namespace {

constexpr AttributeRule ignore_rule{"ignore_index", AttributeKind::integer, false,
                                    "the label of elements that do not count"};

/// Operands x of shape [N, C, ...], labels of shape [N, ...], and optionally a weight a class.
Result<TensorType> check_labelled(const Operation& operation) {
  ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
  ACCY_TRY_ASSIGN(const TensorType labels, operand_type(operation, 1));
  ACCY_TRY(check_float(type));
  ACCY_TRY(check_integer(labels));
  if (type.rank() < 2)
    return invalid("operand of rank " + std::to_string(type.rank()) + " has no axis of classes");
  std::vector<Dimension> shape = type.shape();
  const Dimension classes = shape[1];
  shape.erase(shape.begin() + 1);
  if (labels.shape() != shape)
    return invalid("labels have shape " + shape_to_string(labels.shape()) + ", expected " +
                   shape_to_string(shape));
  if (!classes.is_symbol() && classes.size == 0) return invalid("there are no classes (0)");
  if (operation.operand_count() > 3)
    return invalid("operation has " + std::to_string(operation.operand_count()) +
                   " operands, at most 3 are expected");
  if (operation.operand_count() == 3) {
    ACCY_TRY_ASSIGN(const TensorType weights, operand_type(operation, 2));
    const TensorType expected =
        TensorType::get(operation.context(), type.element(), std::span(&classes, 1));
    if (weights != expected)
      return invalid("weights are " + type_to_string(weights) + ", expected " +
                     type_to_string(expected));
  }
  return TensorType::get(operation.context(), type.element(), shape);
}

/// The negative log likelihood of labels under `x`, logarithms of probabilities.
class Likelihood {
 public:
  Likelihood(const Operation& operation, Expander& expander, Value* x)
      : expander_(expander), x_(x), type_(Expander::type_of(x)) {
    const TensorType whole = type_;
    std::vector<Dimension> shape = whole.shape();
    shape.erase(shape.begin() + 1);
    rows_ = TensorType::get(expander.context(), whole.element(), shape);
    labels_ = operation.operand(1);
    if (operation.operand_count() == 3)
      weights_ = expander.cast(operation.operand(2), whole.element());
    if (const choir::Attribute ignored = operation.attribute("ignore_index")) skip(ignored);
  }

  Value* write(double smoothing, Reduction reduction) {
    Value* loss = expander_.negate(pick(x_));
    Value* weight = weights_ == nullptr ? nullptr : expander_.gather(weights_, labels_, 0);
    if (weight != nullptr) loss = expander_.multiply(loss, weight);
    if (smoothing != 0) loss = smoothed(loss, smoothing);
    if (counted_ != nullptr) loss = expander_.select(counted_, loss, zero());
    if (reduction != Reduction::mean || (weight == nullptr && counted_ == nullptr))
      return reduce_loss(expander_, loss, reduction);
    if (weight == nullptr) weight = expander_.constant(1, rows_);
    if (counted_ != nullptr) weight = expander_.select(counted_, weight, zero());
    const auto axes = all_axes(rows_);
    return expander_.divide(expander_.reduce("sum", loss, axes),
                            expander_.reduce("sum", weight, axes));
  }

 private:
  Value* zero() { return expander_.constant(0, rows_); }

  /// Labels that do not count become 0, so that they choose an element like others.
  void skip(choir::Attribute ignored) {
    const TensorType type = Expander::type_of(labels_);
    Value* label = expander_.integer(ignored.integer(), type);
    counted_ = expander_.compare("ne", labels_, label);
    labels_ = expander_.select(counted_, labels_, expander_.constant(0, type));
  }

  /// The element of each row at its label.
  Value* pick(Value* values) {
    std::vector<Dimension> shape = type_.shape();
    shape[1] = {1, {}};
    Value* picked = expander_.gather_elements(values, expander_.reshape(labels_, shape), 1);
    return expander_.reshape(picked, rows_.shape());
  }

  /// Every class gets its part of the smoothing, weighted like a label.
  Value* smoothed(Value* loss, double smoothing) {
    const std::size_t classes[] = {1};
    Value* all = x_;
    if (weights_ != nullptr)
      all = expander_.multiply(all, expander_.broadcast(weights_, type_.shape(), classes));
    const double count = static_cast<double>(type_.static_shape()[1]);
    Value* spread = expander_.multiply(expander_.constant(-smoothing / count, rows_),
                                       expander_.reduce("sum", all, classes));
    Value* own = expander_.multiply(expander_.constant(1 - smoothing, rows_), loss);
    return expander_.add(own, spread);
  }

  Expander& expander_;
  Value* x_;
  TensorType type_;
  TensorType rows_ = type_;
  Value* labels_ = nullptr;
  Value* weights_ = nullptr;
  Value* counted_ = nullptr;  ///< null: all do
};

}  // namespace

struct NllLoss : Operator {
  static constexpr Family family = Family::loss;
  static constexpr std::string_view name = "tensor.nll_loss";
  static constexpr std::string_view summary =
      "minus the element of x [N, C, ...], logarithms of probabilities, at each label [N, ...], "
      "times its class's weight where a third operand gives them; a mean is by the weights' sum";
  static constexpr int operand_count = -1;
  static constexpr std::array attributes{ignore_rule, reduction_rule};
  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType rows, check_labelled(operation));
    return infer_reduced(operation, rows);
  }
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    ACCY_TRY_ASSIGN(const Reduction reduction, reduction_of(operation));
    return expand_in_f32(operation, builder, [&](Expander& expander, Value* x) {
      return Likelihood(operation, expander, x).write(0, reduction);
    });
  }
};

struct CrossEntropyLoss : Operator {
  static constexpr Family family = Family::loss;
  static constexpr std::string_view name = "tensor.cross_entropy_loss";
  static constexpr std::string_view summary =
      "nll_loss of the logarithm of x's softmax over the classes (axis 1)";
  static constexpr int operand_count = -1;
  static constexpr std::array attributes{
      ignore_rule,
      AttributeRule{"label_smoothing", {}, false, "what all classes share, 0 to 1; 0 by default"},
      reduction_rule};
  static Result<double> smoothing(const Operation& operation) {
    ACCY_TRY_ASSIGN(const double smoothing, number_attribute(operation, "label_smoothing", 0));
    if (smoothing < 0 || smoothing > 1)
      return invalid("attribute label_smoothing (" + std::to_string(smoothing) +
                     ") is not between 0 and 1");
    return smoothing;
  }
  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType rows, check_labelled(operation));
    ACCY_TRY(smoothing(operation));
    return infer_reduced(operation, rows);
  }
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    ACCY_TRY_ASSIGN(const Reduction reduction, reduction_of(operation));
    ACCY_TRY_ASSIGN(const double shared, smoothing(operation));
    return expand_in_f32(operation, builder, [&](Expander& expander, Value* x) {
      return Likelihood(operation, expander, expander.log_softmax(x, 1)).write(shared, reduction);
    });
  }
};

template const choir::OperationDefinition& definition<MseLoss>();
template const choir::OperationDefinition& definition<MaeLoss>();
template const choir::OperationDefinition& definition<HuberLoss>();
template const choir::OperationDefinition& definition<BceWithLogitsLoss>();
template const choir::OperationDefinition& definition<KlDivLoss>();
template const choir::OperationDefinition& definition<HingeLoss>();
template const choir::OperationDefinition& definition<NllLoss>();
template const choir::OperationDefinition& definition<CrossEntropyLoss>();

}  // namespace accy::tensor
