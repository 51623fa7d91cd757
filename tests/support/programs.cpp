#include "support/programs.hpp"

#include <string_view>
#include <tuple>

namespace accy::test {
namespace {

std::string program(std::string_view numeric, std::string_view arguments, std::string_view outputs,
                    std::string_view body) {
  std::string inputs;
  for (char name = 'a'; arguments.find(std::string("%") + name + ":") != std::string_view::npos; ++name)
    inputs += std::string(inputs.empty() ? "\"" : ", \"") + name + "\"";
  return "choir semantic v1 {numeric = {" + std::string(numeric) + "}}\n" +
         "tensor.func @main {inputs = [" + inputs + "], outputs = [" + std::string(outputs) +
         "]} (" + std::string(arguments) + ") {\n" + std::string(body) + "\n}\n";
}

constexpr std::string_view fast = "accumulate = f32, mode = fast, order = free";
constexpr std::string_view fixed = "accumulate = f32, mode = fast, order = fixed";
constexpr std::string_view strict = "accumulate = f32, mode = strict, order = fixed";

}  // namespace

std::vector<Program> programs() {
  std::vector<Program> list;
  list.push_back({"add", program(fast, "%a: tensor<f32, [1000]>, %b: tensor<f32, [1000]>", "\"c\"",
                                 "%c = tensor.add %a, %b\n tensor.return %c"),
                  true});
  list.push_back({"add_tail", program(fast, "%a: tensor<f32, [7]>, %b: tensor<f32, [7]>", "\"c\"",
                                      "%c = tensor.add %a, %b\n tensor.return %c"),
                  true});
  list.push_back({"add_scalar", program(fast, "%a: tensor<f32, []>, %b: tensor<f32, []>", "\"c\"",
                                        "%c = tensor.mul %a, %b\n tensor.return %c"),
                  true});
  list.push_back({"empty", program(fast, "%a: tensor<f32, [0, 4]>, %b: tensor<f32, [0, 4]>", "\"c\"",
                                   "%c = tensor.add %a, %b\n tensor.return %c"),
                  true});
  for (const auto& [name, numeric, exact] :
       {std::tuple{"free", fast, false}, std::tuple{"fixed", fixed, true},
        std::tuple{"strict", strict, true}}) {
    list.push_back({std::string("dense_") + name,
                    program(numeric,
                            "%a: tensor<f32, [33, 17]>, %b: tensor<f32, [17, 50]>, %c: tensor<f32, [50]>",
                            "\"y\"",
                            "%m = tensor.matmul %a, %b\n"
                            "%w = tensor.broadcast %c {axes = [1]} : tensor<f32, [33, 50]>\n"
                            "%s = tensor.add %m, %w\n%y = tensor.relu %s\ntensor.return %y"),
                    exact, exact ? "rounding_rte_f32" : ""});
    list.push_back({std::string("tiled_") + name,
                    program(numeric, "%a: tensor<f32, [2, 70, 40]>, %b: tensor<f32, [2, 40, 65]>",
                            "\"y\"", "%y = tensor.matmul %a, %b\ntensor.return %y"),
                    exact, exact ? "rounding_rte_f32" : ""});
    list.push_back({std::string("row_sum_") + name,
                    program(numeric, "%a: tensor<f32, [5, 1000]>", "\"y\"",
                            "%y = tensor.reduce %a {axes = [1], function = sum}\ntensor.return %y"),
                    exact, exact ? "rounding_rte_f32" : ""});
    list.push_back({std::string("short_sum_") + name,
                    program(numeric, "%a: tensor<f32, [40, 9]>", "\"y\"",
                            "%y = tensor.reduce %a {axes = [1], function = sum}\ntensor.return %y"),
                    exact, exact ? "rounding_rte_f32" : ""});
    list.push_back({std::string("column_sum_") + name,
                    program(numeric, "%a: tensor<f32, [100, 70]>", "\"y\"",
                            "%y = tensor.reduce %a {axes = [0], function = sum}\ntensor.return %y"),
                    exact, exact ? "rounding_rte_f32" : ""});
    list.push_back({std::string("all_sum_") + name,
                    program(numeric, "%a: tensor<f32, [30, 50, 4]>", "\"y\"",
                            "%y = tensor.reduce %a {axes = [0, 1, 2], function = sum}\ntensor.return %y"),
                    exact, exact ? "rounding_rte_f32" : ""});
  }
  // Accumulators that subgroups do not shuffle.
  list.push_back({"wide_accumulator",
                  program("accumulate = f64, mode = fast, order = free",
                          "%a: tensor<f32, [4, 1000]>, %b: tensor<i64, [4, 1000]>",
                          "\"y\", \"s\", \"i\"",
                          "%y = tensor.softmax %a {axis = 1}\n"
                          "%s = tensor.reduce %a {axes = [1], function = sum}\n"
                          "%i = tensor.reduce %b {axes = [1], function = max}\n"
                          "tensor.return %y, %s, %i"),
                  false, "arithmetic_f64"});
  // Long reductions with few results take two launches and a workspace.
  list.push_back({"split_sum",
                  program(fast, "%a: tensor<f32, [3, 100000]>, %b: tensor<f16, [40000]>",
                          "\"s\", \"m\", \"h\"",
                          "%e = tensor.mul %a, %a\n"
                          "%s0 = tensor.reduce %e {axes = [1], function = sum}\n"
                          "%s = tensor.sqrt %s0\n"
                          "%m = tensor.reduce %a {axes = [0, 1], function = max}\n"
                          "%h = tensor.reduce %b {axes = [0], function = sum}\n"
                          "tensor.return %s, %m, %h"),
                  false});
  // More products and columns than lavapipe's loop limit lets one loop make.
  list.push_back({"deep",
                  program(fast, "%a: tensor<f32, [3, 70001]>, %b: tensor<f32, [70001, 5]>",
                          "\"y\", \"s\"",
                          "%y = tensor.matmul %a, %b\n"
                          "%s = tensor.reduce %b {axes = [0], function = sum}\n"
                          "tensor.return %y, %s"),
                  false});
  for (const auto& [size, rows] : {std::pair{10, 3}, std::pair{31, 5}, std::pair{1000, 4},
                                   std::pair{5000, 2}}) {
    const std::string type = "tensor<f32, [" + std::to_string(rows) + ", " + std::to_string(size) + "]>";
    list.push_back({"softmax_" + std::to_string(size),
                    program(fast, "%a: " + type, "\"y\"",
                            "%y = tensor.softmax %a {axis = 1}\ntensor.return %y"),
                    false});
  }
  list.push_back({"softmax_axis_0", program(fast, "%a: tensor<f32, [40, 6]>", "\"y\"",
                                            "%y = tensor.softmax %a {axis = 0}\ntensor.return %y"),
                  false});
  list.push_back({"activations",
                  program(fast, "%a: tensor<f32, [300]>", "\"p\", \"q\", \"r\", \"s\", \"t\"",
                          "%p = tensor.gelu %a\n%q = tensor.gelu %a {approximation = tanh}\n"
                          "%r = tensor.sigmoid %a\n%s = tensor.tanh %a\n%t = tensor.exp %a\n"
                          "tensor.return %p, %q, %r, %s, %t"),
                  false});
  list.push_back({"half", program(fast, "%a: tensor<f16, [9, 40]>, %b: tensor<f16, [40, 8]>",
                                  "\"y\", \"z\"",
                                  "%y = tensor.matmul %a, %b\n"
                                  "%z = tensor.reduce %a {axes = [1], function = sum}\n"
                                  "tensor.return %y, %z"),
                  false});
  list.push_back({"integers", program(fast, "%a: tensor<i32, [6, 10]>, %b: tensor<i32, [10, 5]>",
                                      "\"y\", \"z\", \"q\"",
                                      "%y = tensor.matmul %a, %b\n"
                                      "%z = tensor.reduce %a {axes = [1], function = max}\n"
                                      "%q = tensor.div %y, %y\n"
                                      "tensor.return %y, %z, %q"),
                  true});
  list.push_back({"compare_select",
                  program(fast, "%a: tensor<f32, [64]>, %b: tensor<f32, [64]>", "\"y\", \"m\", \"i\"",
                          "%m = tensor.compare %a, %b {predicate = lt}\n"
                          "%y = tensor.select %m, %a, %b\n"
                          "%i = tensor.cast %a : tensor<i32, [64]>\n"
                          "tensor.return %y, %m, %i"),
                  true});
  list.push_back({"moves",
                  program(fast, "%a: tensor<f32, [4, 6]>, %b: tensor<f32, [6, 4]>", "\"x\", \"y\", \"z\", \"w\"",
                          "%t = tensor.transpose %a {permutation = [1, 0]}\n"
                          "%x = tensor.add %t, %b\n"
                          "%y = tensor.reshape %x : tensor<f32, [2, 12]>\n"
                          "%z = tensor.transpose %x {permutation = [1, 0]}\n"
                          "tensor.return %x, %y, %z, %a"),
                  true});
  list.push_back({"output_used_again",
                  program(fast, "%a: tensor<f32, [8]>", "\"r\", \"n\", \"a\", \"c\"",
                          "%r = tensor.relu %a\n%n = tensor.neg %r\n"
                          "%c = tensor.constant {value = [7.0, 8.0]} : tensor<f32, [2]>\n"
                          "tensor.return %r, %n, %a, %c"),
                  true});
  list.push_back({"empty_depth", program(fast, "%a: tensor<f32, [4, 0]>, %b: tensor<f32, [0, 4]>", "\"y\"",
                                         "%y = tensor.matmul %a, %b\ntensor.return %y"),
                  true});
  list.push_back({"empty_reduction", program(fast, "%a: tensor<f32, [3, 0]>", "\"s\", \"m\"",
                                             "%s = tensor.reduce %a {axes = [1], function = sum}\n"
                                             "%m = tensor.reduce %a {axes = [1], function = max}\n"
                                             "tensor.return %s, %m"),
                  true});
  return list;
}

}  // namespace accy::test
