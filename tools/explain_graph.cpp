#include "tools/explain_graph.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <map>

#include "semantic/job.hpp"
#include "tools/explain_page.hpp"

namespace accy::tools {
namespace {

using preparation::Stage;

constexpr int cell_width = 170;
constexpr int cell_height = 60;
constexpr int box_width = 150;
constexpr int box_height = 34;

struct Box {
  int layer = 0;
  int column = 0;
  std::string text;
  std::string colour = "#eeeeee";

  int x() const { return column * cell_width + 10; }
  int y() const { return layer * cell_height + 10; }
};

using Place = std::pair<std::uint32_t, std::uint32_t>;
Place place_of(const SourceLocation& location) { return {location.line, location.column}; }

/// The same kernel has the same colour; neighbours in the list differ.
std::string colour_of(std::size_t kernel) {
  return fmt::format("hsl({},70%,85%)", kernel * 67 % 360);
}

class Graph {
 public:
  explicit Graph(const ExplainedCompile& compile) {
    const choir::Operation* function =
        semantic::find_function(compile.result.module.stage<Stage::semantic>().module());
    const auto explained = explain_operations(compile, "");
    std::map<Place, std::string> kernels;
    for (const ExplainedOperation& operation : *explained)
      if (!operation.kernels.empty())
        kernels.emplace(place_of(operation.place), operation.kernels.front());
    const choir::Block& body = function->body();
    for (std::size_t index = 0; index < body.argument_count(); ++index)
      add(body.argument(index), 0, "%" + std::string(body.argument(index)->name()), "");
    for (const choir::Operation* operation : body.operations()) add(*operation, kernels);
  }

  std::string svg() const {
    int width = 0;
    int height = 0;
    std::string boxes;
    for (const auto& [value, box] : boxes_) {
      width = std::max(width, box.x() + cell_width);
      height = std::max(height, box.y() + cell_height);
    }
    for (const Box& box : order_)
      boxes += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" "
                           "stroke=\"#666\"/><text x=\"{}\" y=\"{}\" font-size=\"12\">{}</text>\n",
                           box.x(), box.y(), box_width, box_height, box.colour, box.x() + 6,
                           box.y() + 21, escape_html(box.text));
    return fmt::format("<svg width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n{2}{3}</svg>\n",
                       width, height, lines_, boxes);
  }

 private:
  void add(const choir::Value* value, int layer, std::string text, const std::string& kernel) {
    Box box{.layer = layer, .column = columns_[layer]++, .text = std::move(text)};
    if (!kernel.empty()) {
      const auto known = colours_.emplace(kernel, colours_.size()).first;
      box.colour = colour_of(known->second);
    }
    order_.push_back(box);
    boxes_.emplace(value, std::move(box));
  }

  void add(const choir::Operation& operation, const std::map<Place, std::string>& kernels) {
    if (operation.result_count() == 0) return;
    int layer = 0;
    for (const choir::Value* operand : operation.operands())
      layer = std::max(layer, boxes_.at(operand).layer + 1);
    const auto kernel = kernels.find(place_of(operation.location().first()));
    add(operation.result(), layer, choir::subject_of(operation),
        kernel == kernels.end() ? "" : kernel->second);
    const Box& box = boxes_.at(operation.result());
    for (const choir::Value* operand : operation.operands()) {
      const Box& from = boxes_.at(operand);
      lines_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"#888\"/>\n",
                            from.x() + box_width / 2, from.y() + box_height,
                            box.x() + box_width / 2, box.y());
    }
  }

  std::map<const choir::Value*, Box> boxes_;  // looked up only
  std::vector<Box> order_;
  std::map<int, int> columns_;
  std::map<std::string, std::size_t> colours_;
  std::string lines_;
};

}  // namespace

std::string explain_graph(const ExplainedCompile& compile) { return Graph(compile).svg(); }

}  // namespace accy::tools
