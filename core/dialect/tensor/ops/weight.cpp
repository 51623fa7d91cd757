#include "dialect/tensor/define.hpp"

namespace accy::tensor {

using choir::AttributeKind;

struct Weight : Operator {
  static constexpr std::string_view name = "tensor.weight";
  static constexpr std::string_view summary = "a tensor of that name in a file";
  static constexpr int operand_count = 0;
  static constexpr std::array attributes{
      AttributeRule{"file", AttributeKind::string, true, "path beside the program"},
      AttributeRule{"tensor", AttributeKind::string, true, "name in the file"}};

  static Status check(const choir::Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType type, result_type(operation));
    if (type.is_static()) return {};
    return invalid("weight is " + type_to_string(type) + ", whose shape has a symbol");
  }
  template <class Tensor>
  static Result<Tensor> evaluate(const Call<Tensor>& call) {
    ACCY_TRY_ASSIGN(const choir::Attribute file,
                    required_attribute(call.operation, "file", AttributeKind::string));
    ACCY_TRY_ASSIGN(const choir::Attribute tensor,
                    required_attribute(call.operation, "tensor", AttributeKind::string));
    const SourceLocation where = call.operation.location().first();
    ACCY_TRY_ASSIGN(HostTensor loaded, call.weights.load(file.text(), tensor.text(), where));
    if (loaded.element != call.element ||
        !std::equal(loaded.shape.begin(), loaded.shape.end(), call.shape.begin(),
                    call.shape.end()))
      return fail(ErrorCode::invalid_input,
                  "weight (" + std::string(tensor.text()) + ") in file (" +
                      std::string(file.text()) + ") is " +
                      std::string(to_string(loaded.element)) + " of shape " +
                      shape_to_string(loaded.shape) + ", the program says " +
                      std::string(to_string(call.element)) + " of shape " +
                      shape_to_string(call.shape),
                  where, std::string(name));
    if constexpr (std::is_same_v<Tensor, WideTensor>) return widen(loaded);
    else return loaded;
  }
};

template const choir::OperationDefinition& definition<Weight>();

}  // namespace accy::tensor
