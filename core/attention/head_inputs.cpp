#include "core/attention/head_inputs.h"

namespace maskscope {

HeadInputs round_inputs(const HeadInputs& inputs, const Rounding& rounded) {
    return {rounded(inputs.queries), rounded(inputs.keys), rounded(inputs.values),
            rounded(inputs.scores), rounded(inputs.weights)};
}

}  // namespace maskscope
