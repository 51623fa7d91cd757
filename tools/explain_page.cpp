#include "tools/explain_page.hpp"

#include <fmt/core.h>

#include "choir/text.hpp"
#include "dialect/host/host.hpp"
#include "tools/explain_graph.hpp"

namespace accy::tools {
namespace {

using preparation::Stage;

constexpr const char* style =
    "body{font:14px sans-serif;margin:1em}pre{background:#f6f6f6;padding:1em;overflow:auto}"
    "table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.2em .5em;text-align:left}"
    ".tab{display:none}nav a{margin-right:1em}";
/// Shows the tab that the address names, at first the graph.
constexpr const char* script =
    "function show(){const name=location.hash.slice(1)||'graph';"
    "for(const tab of document.querySelectorAll('.tab'))"
    "tab.style.display=tab.id===name?'block':'none'}window.onhashchange=show;show()";

/// A section that the link with its name shows.
class Page {
 public:
  void add_tab(const std::string& name, const std::string& content) {
    links_ += fmt::format("<a href=\"#{0}\">{0}</a>\n", escape_html(name));
    tabs_ += fmt::format("<section class=\"tab\" id=\"{0}\"><h2>{0}</h2>\n{1}</section>\n",
                         escape_html(name), content);
  }
  std::string finish(const std::string& title) const {
    return fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                       "<title>{0}</title><style>{1}</style></head>\n<body><h1>{0}</h1>\n"
                       "<nav>{2}</nav>\n{3}<script>{4}</script></body></html>\n",
                       escape_html(title), style, links_, tabs_, script);
  }

 private:
  std::string links_;
  std::string tabs_;
};

std::string row(std::initializer_list<std::string> cells, const char* tag = "td") {
  std::string text = "<tr>";
  for (const std::string& cell : cells)
    text += fmt::format("<{0}>{1}</{0}>", tag, escape_html(cell));
  return text + "</tr>\n";
}

std::string decisions_table(const ExplainedCompile& compile) {
  std::string text =
      "<table>" + row({"stage", "pass", "kind", "", "on", "choice", "because"}, "th");
  for (const choir::Decision& decision : compile.decisions)
    text += row({decision.stage, decision.pass, decision.kind,
                 decision.accepted ? "accepted" : "refused", decision.subject, decision.choice,
                 decision.reason});
  return text + "</table>\n";
}

std::string timing_table(const CompileResult& result) {
  std::string text = "<table>" + row({"pass", "runs", "ms", "operations", "after"}, "th");
  for (const choir::PassTiming& pass : result.timing->passes)
    text += row({pass.name, std::to_string(pass.runs),
                 fmt::format("{:.3f}", static_cast<double>(pass.elapsed_ns) * 1e-6),
                 std::to_string(pass.operations_before), std::to_string(pass.operations_after)});
  return text + "</table>\n";
}

std::string memory_table(const CompileResult& result) {
  const choir::Operation* function =
      host::find_function(result.module.stage<Stage::memory>().module());
  std::string text = fmt::format("<p>arena of {} bytes, constants of {} bytes</p>\n<table>",
                                 host::integer_or(*function, "arena_bytes", 0),
                                 host::integer_or(*function, "constant_bytes", 0));
  text += row({"block", "type", "offset"}, "th");
  for (const choir::Operation* operation : function->body().operations())
    if (operation->name() == "host.block" || operation->name() == "host.constant")
      text += row({choir::subject_of(*operation), choir::print(operation->result()->type()),
                   std::to_string(host::integer_or(*operation, "offset", 0))});
  return text + "</table>\n";
}

std::string kernel_texts(const CompileResult& result) {
  const choir::Module& programs = result.module.stage<Stage::kernel>().module();
  std::string text;
  const choir::Module& target = result.module.stage<Stage::target>().module();
  for (const choir::Operation* code : target.body().operations()) {
    if (code->name() != "target.code") continue;
    const std::string name(code->symbol());
    text += fmt::format("<h3>@{}</h3>\n", escape_html(name));
    if (const choir::Operation* program = programs.lookup(name))
      text += "<pre>" + escape_html(choir::print(*program, {.locations = false, .names = true})) +
              "</pre>\n";
    const choir::Attribute bytes = code->attribute("code");
    text += bytes.is(choir::AttributeKind::string)
                ? "<pre>" + escape_html(bytes.text()) + "</pre>\n"
                : fmt::format("<p>{} bytes of {}</p>\n", bytes.data().size(),
                              escape_html(code->attribute("format").text()));
  }
  return text;
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string escaped;
  for (const char character : text) {
    switch (character) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\'': escaped += "&#39;"; break;
      default: escaped += character;
    }
  }
  return escaped;
}

std::string explain_page(const ExplainedCompile& compile) {
  Page page;
  page.add_tab("graph", explain_graph(compile));
  page.add_tab("decisions", decisions_table(compile));
  for (std::size_t index = 0; index < preparation::stage_count; ++index) {
    const auto stage = static_cast<Stage>(index);
    const choir::Module& module = compile.result.module.stage(stage)->module();
    page.add_tab(std::string(to_string(stage)),
                 "<pre>" + escape_html(choir::print(module, {.locations = false, .names = true})) +
                     "</pre>\n");
  }
  page.add_tab("kernels", kernel_texts(compile.result));
  page.add_tab("memory", memory_table(compile.result));
  page.add_tab("time", timing_table(compile.result));
  return page.finish(compile.program + " for " + compile.result.profile.id());
}

}  // namespace accy::tools
