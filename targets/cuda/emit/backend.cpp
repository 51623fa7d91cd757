#include "targets/cuda/emit/backend.hpp"

#include "targets/cuda/emit/emit.hpp"
#include "targets/cuda/emit/validate.hpp"
#include "targets/cuda/legalize/legalize.hpp"
#include "targets/cuda/profile/profiles.hpp"

namespace accy::cuda {

const target::Backend& backend() {
  static constexpr target::Backend instance{"cuda", profiles, legalize, emit, validate};
  return instance;
}

}  // namespace accy::cuda
