#include <algorithm>
#include <fmt/core.h>
#include <limits>

#include "bench/bench.hpp"
#include "choir/text.hpp"
#include "contract/saturation/cost.hpp"
#include "contract/saturation/program.hpp"
#include "contract/saturation/rules.hpp"
#include "dialect/dialects.hpp"

namespace accy::bench {

namespace {

constexpr std::size_t default_operations = 1'000;

/// A program's text that grows operation by operation.
class Writer {
 public:
  std::string input(const std::string& name, const std::string& type) {
    inputs_ += fmt::format("{}\"{}\"", inputs_.empty() ? "" : ", ", name);
    arguments_ += fmt::format("{}%{}: tensor<f32, {}>", arguments_.empty() ? "" : ", ", name, type);
    return "%" + name;
  }
  std::string define(const std::string& operation) {
    body_ += fmt::format("  %v{} = {}\n", count_, operation);
    return fmt::format("%v{}", count_++);
  }
  std::string matmul(const std::string& a, const std::string& b) {
    return define(fmt::format("tensor.matmul {}, {} {{accumulate = f32, order = free}}", a, b));
  }
  std::string swap(const std::string& x) {
    return define(fmt::format("tensor.transpose {} {{permutation = [1, 0]}}", x));
  }
  std::string scaled(const std::string& x, double factor, const std::string& shape) {
    const std::string scale =
        define(fmt::format("tensor.constant {{value = {:.6f}}} : tensor<f32, {}>", factor, shape));
    return define(fmt::format("tensor.mul {}, {}", x, scale));
  }
  std::size_t count() const { return count_; }
  std::string text(const std::string& result) const {
    return fmt::format("choir contract v1\ntensor.func @main {{inputs = [{}], outputs = [\"y\"]}} "
                       "({}) {{\n{}  tensor.return {}\n}}\n",
                       inputs_, arguments_, body_, result);
  }

 private:
  std::string inputs_;
  std::string arguments_;
  std::string body_;
  std::size_t count_ = 0;
};

/// Blocks of projections, scaled scores, softmax written out, a residual sum and an activation.
std::string transformer(std::size_t operations) {
  Writer writer;
  std::string x = writer.input("x", "[64, 64]");
  const auto project = [&](const std::string& value) {
    const std::string number = std::to_string(writer.count());
    const std::string product = writer.matmul(value, writer.input("w" + number, "[64, 64]"));
    const std::string bias =
        writer.define(fmt::format("tensor.broadcast {} {{axes = [1]}} : tensor<f32, [64, 64]>",
                                  writer.input("b" + number, "[64]")));
    return writer.define(fmt::format("tensor.add {}, {}", product, bias));
  };
  const auto row = [&](const std::string& value, std::string_view function) {
    const std::string reduced = writer.define(fmt::format(
        "tensor.reduce {} {{accumulate = f32, axes = [1], function = {}, order = free}}", value,
        function));
    return writer.define(
        fmt::format("tensor.broadcast {} {{axes = [0]}} : tensor<f32, [64, 64]>", reduced));
  };
  while (writer.count() < operations) {
    const std::string query = project(x);
    const std::string key = writer.swap(project(x));
    const std::string value = project(x);
    const std::string scores = writer.scaled(writer.matmul(query, key), 0.125, "[64, 64]");
    const std::string exponential =
        writer.define("tensor.exp " +
                      writer.define(fmt::format("tensor.sub {}, {}", scores, row(scores, "max"))));
    const std::string weights =
        writer.define(fmt::format("tensor.div {}, {}", exponential, row(exponential, "sum")));
    const std::string mixed = project(writer.matmul(weights, value));
    const std::string sum = writer.define(fmt::format("tensor.add {}, {}", mixed, x));
    const std::string hidden = project(writer.define("tensor.gelu " + project(sum)));
    x = writer.define(fmt::format("tensor.add {}, {}", hidden, sum));
  }
  return writer.text(x);
}

/// ((v w) w) ... with a thin end, which is cheaper from the other side.
std::string matmul_chain(std::size_t) {
  Writer writer;
  std::string x = writer.input("x", "[64, 64]");
  for (int index = 0; index < 8; ++index)
    x = writer.matmul(x,
                      writer.input(fmt::format("w{}", index), index == 7 ? "[64, 1]" : "[64, 64]"));
  return writer.text(x);
}

/// Layers that turn their data there and back, with a spread bias in between.
std::string transposes(std::size_t operations) {
  Writer writer;
  std::string x = writer.input("x", "[64, 32]");
  const std::string spread = writer.define(fmt::format(
      "tensor.broadcast {} {{axes = [1]}} : tensor<f32, [32, 64]>", writer.input("b", "[64]")));
  while (writer.count() < operations / 10) {
    const std::string turned = writer.swap(x);
    const std::string sum = writer.define(fmt::format("tensor.add {}, {}", turned, spread));
    x = writer.swap(writer.define("tensor.exp " + sum));
    x = writer.define("tensor.tanh " + x);
  }
  return writer.text(x);
}

nlohmann::json measure(const std::string& name, const std::string& text, const Options& options) {
  nlohmann::json row{{"graph", name}};
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::size_t round = 0; round < options.rounds; ++round) {
    const auto module = choir::parse_and_verify(text, "program.choir", registry());
    ACCY_ASSERT(module.has_value(), module.error().to_string());
    choir::Block& body = module->body().front()->body();
    const std::size_t operations = body.size();
    choir::DecisionLog log;
    const std::int64_t start = now(options.wall);
    contract::ProgramGraph program(body, contract::node_constant);
    const std::uint64_t before =
        choir::program_cost(program.graph(), program.roots(), contract::node_cost);
    const auto run = choir::Rewriter(program.graph(), contract::saturation_rules(), {}, true).run();
    const auto best = choir::extract(program.graph(), program.roots(), contract::node_cost);
    if (best.cost < before) program.rebuild(best, contract::saturation_rules(), log);
    least = std::min(least, now(options.wall) - start);
    row["operations"] = operations;
    row["nodes"] = program.graph().node_count();
    row["iterations"] = run.iterations;
    row["matches"] = run.total;
    row["stop"] = choir::to_string(run.stop);
    row["cost_before"] = before;
    row["cost_after"] = std::min(best.cost, before);
  }
  row["elapsed_ns"] = least;
  return row;
}

}  // namespace

nlohmann::json measure_saturation(const Options& options) {
  const std::size_t operations = options.operations == 0 ? default_operations : options.operations;
  nlohmann::json rows = nlohmann::json::array();
  rows.push_back(measure("transformer", transformer(operations), options));
  rows.push_back(measure("matmul chain", matmul_chain(operations), options));
  rows.push_back(measure("transposes", transposes(operations), options));
  return rows;
}

}  // namespace accy::bench
