// Nested pipelines: each operation in a module of its own, workers that share nothing, reuse by
// content.
#include <algorithm>
#include <atomic>
#include <thread>
#include <unordered_map>

#include "choir/passes/step_runner.hpp"
#include "choir/product.hpp"
#include "choir/value_table.hpp"

namespace accy::choir {

namespace {

/// What a nested pipeline makes is checked by the stage that the whole module belongs to.
const StageSpec& part_spec() {
  static constexpr StageSpec spec{
      .stage = "part", .version = 1, .legal = [](const Operation&) { return true; }};
  return spec;
}

/// One operation on its way through the nested pipeline.
struct Part {
  Operation* original = nullptr;       ///< in the module
  const Operation* content = nullptr;  ///< the same, or where its body is
  std::string symbol;
  RevisionRef product;  ///< null until it is made or found
  bool reused = false;
  RunOutcome outcome;
  Status status;
};

class NestRun {
 public:
  NestRun(const Nest& nest, const RunScope& scope, Module& module)
      : nest_(nest), scope_(scope), module_(module), recipe_(nest.recipe()) {}

  Status run(RunOutcome& outcome) {
    collect(outcome.decisions.on());
    run_all();
    return merge(outcome);
  }

 private:
  void collect(bool decisions) {
    std::unordered_map<std::string_view, const Operation*> bodies;
    if (scope_.options.bodies != nullptr)
      for (const Operation* operation : scope_.options.bodies->body().operations())
        if (operation->name() == nest_.anchor) bodies.emplace(operation->symbol(), operation);
    for (Operation* operation : module_.body().operations()) {
      if (operation->name() != nest_.anchor) continue;
      Part& part = parts_.emplace_back();
      part.original = operation;
      part.symbol = operation->symbol();
      const auto body = bodies.find(part.symbol);
      part.content = body == bodies.end() ? operation : body->second;
      part.outcome.decisions = DecisionLog(decisions);
    }
  }

  /// Parts are taken in order by whoever is free; nothing of one depends on another.
  void run_all() {
    std::atomic<std::size_t> next = 0;
    const auto work = [&](std::size_t worker) {
      for (std::size_t index = next++; index < parts_.size(); index = next++)
        parts_[index].status = run_part(parts_[index], worker);
    };
    const std::size_t workers = std::min(std::max<std::size_t>(scope_.options.workers, 1),
                                         std::max<std::size_t>(parts_.size(), 1));
    std::vector<std::jthread> threads;
    for (std::size_t worker = 1; worker < workers; ++worker) threads.emplace_back(work, worker);
    work(0);
  }

  Status run_part(Part& part, std::size_t worker) {
    ProductRequest request{.stage = std::string(scope_.stage) + "." + nest_.anchor,
                           .schema_version = part_spec().version,
                           .recipe = recipe_,
                           .predecessor = {}};
    // Only a store asks what the part is made from: without one nobody sees the key.
    if (scope_.options.store != nullptr) request.predecessor = content_digest(*part.content);
    if (find(request, part)) return {};
    Draft draft(part_spec(), Module(module_.context().registry(), part_spec().stage));
    draft.module().body().push_back(part.content->clone_isolated(draft.module().context()));
    RunScope scope{scope_.pipeline, scope_.stage, scope_.options, scope_.instrumentations, worker};
    AnalysisCache analyses;
    ACCY_TRY(StepRunner(scope, draft.module(), analyses, part.outcome).run(nest_.steps));
    std::vector<Fact> facts = part.outcome.facts.facts();
    const ProductKey key = product_key(request, facts);
    ACCY_TRY_ASSIGN(part.product, std::move(draft).seal({}, key, std::move(facts)));
    if (scope_.options.store != nullptr) scope_.options.store->insert(request, part.product);
    return {};
  }

  bool find(const ProductRequest& request, Part& part) {
    if (scope_.options.store == nullptr || !scope_.options.fact_value) return false;
    part.product = scope_.options.store->find(
        request, {part_spec(), module_.context().registry(), {}, scope_.options.fact_value});
    if (!part.product) return false;
    part.reused = true;
    part.outcome.facts.add(part.product->metadata().facts);
    return true;
  }

  /// In the operations' order, whatever order the workers took; of several faults the first stays.
  Status merge(RunOutcome& outcome) {
    for (Part& part : parts_) {
      outcome.statistics += part.outcome.statistics;
      outcome.decisions.append(std::move(part.outcome.decisions));
      if (!part.status) {
        outcome.failure = std::move(part.outcome.failure);
        if (outcome.failure.symbol.empty()) outcome.failure.symbol = part.symbol;
        return std::move(part.status);
      }
      outcome.facts.add(part.outcome.facts.facts());
      outcome.parts.push_back({part.symbol, part.reused});
      replace(part);
    }
    return {};
  }

  void replace(const Part& part) {
    ValueMap map;
    for (const Operation* operation : part.product->module().body().operations())
      module_.body().insert_before(part.original, operation->clone(module_.context(), map));
    part.original->erase();
  }

  const Nest& nest_;
  const RunScope& scope_;
  Module& module_;
  std::string recipe_;
  std::vector<Part> parts_;
};

}  // namespace

Status run_nest(const Nest& nest, const RunScope& scope, Module& module, RunOutcome& outcome) {
  return NestRun(nest, scope, module).run(outcome);
}

}  // namespace accy::choir
