// Flat kernels: elements in order, `vector` consecutive ones an invocation.
#include "kernel/generate/generator.hpp"
#include "support/checked.hpp"

namespace accy::kernel {

using choir::Value;

namespace {

/// Computes and stores the elements base, base + 1, ...
void write_elements(KernelFrame& frame, const std::vector<std::int64_t>& domain,
                    const std::vector<Value*>& elements) {
  KernelBuilder& builder = frame.builder();
  if (elements.size() > 1) frame.emitter().read_vectors_at(elements);
  for (std::size_t output = 0; output < frame.output_count(); ++output) {
    const ElementType element = element_of_tensor(frame.yielded(output));
    std::vector<Value*> lanes;
    for (Value* index : elements)
      lanes.push_back(frame.emitter().to_storage(
          frame.emitter().emit(frame.yielded(output), {domain, index, {}}), element));
    builder.store(lanes.size() == 1 ? lanes[0] : builder.compose(lanes), frame.output(output),
                  elements[0]);
  }
}

}  // namespace

Result<Generated> generate_flat(const GenerateRequest& request) {
  ACCY_TRY_ASSIGN(const std::int64_t count, element_count(request.form.domain));
  if (count == 0) return Generated{};
  const std::int64_t share = request.schedule.workgroup * request.schedule.vector;
  ACCY_TRY_ASSIGN(KernelFrame frame, KernelFrame::create(request, ceil_divide(count, share), 0));
  KernelBuilder& builder = frame.builder();
  frame.in_group([&] {
    Value* first = builder.add(
        builder.mul(frame.group(), share),
        builder.mul(frame.local(), request.schedule.vector));
    builder.if_then(builder.less(first, count), [&] {
      const RegionEmitter::Scope scope(frame.emitter());
      std::vector<Value*> elements;
      for (std::int64_t lane = 0; lane < request.schedule.vector; ++lane)
        elements.push_back(builder.add(first, lane));
      write_elements(frame, request.form.domain, elements);
    });
  });
  return Generated{frame.finish()};
}

}  // namespace accy::kernel
