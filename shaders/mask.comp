// Computes the mask from its rules: the keys that each query may attend to, key j as bit j % 32 of
// word j / 32.
//   bits [sheets, asked_rows, words]; a sheet is one mask that some heads of some sequences
//   share.

layout(local_size_x = 64) in;

layout(std430, binding = 0) writeonly buffer Bits { uint bits[]; };
// Written by core/gpu/data/mask_data.cpp: rules of LAYER_SIZE words; for each sheet its sequence
// and a bit for each rule that holds in it; then the lists that rules point to.
layout(std430, binding = 1) readonly buffer Data { uint data[]; };

uniform int layers;
uniform int sheet_size;
uniform int first_row;     // the first row of this dispatch, counted through the sheets
uniform int rows;

int query_words() { return (n_q + 31) / 32; }

// Returns the bits of the columns below `count`, in a word that begins at column 0.
uint below(int count) {
    if (count <= 0) return 0u;
    return count >= 32 ? 0xffffffffu : (1u << count) - 1u;
}

bool bit_of(int start, int k) { return (data[start + k / 32] >> (k % 32) & 1u) != 0u; }

struct Layer {
    int kind, first, second, list, count;
};

Layer layer_at(int k) {
    const int start = k * LAYER_SIZE;
    return Layer(int(data[start]), int(data[start + 1]), int(data[start + 2]),
                 int(data[start + 3]), int(data[start + 4]));
}

// Returns the index of the first of `count` sorted cells ((i − asked_row) · n_k + j) that is not
// before `place`; `count` if all are.
int lower_bound(int start, int count, uint place) {
    int low = 0, high = count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (data[start + middle] < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Returns the keys that a `blocked` or `allowed` rule lists: whole rows, whole columns, cells.
uint listed(Layer layer, int i, int word) {
    const int columns = layer.list + query_words(), cells = columns + row_words();
    if (bit_of(layer.list, i)) return 0xffffffffu;
    uint found = data[columns + word];
    const uint row = uint(i - asked_row) * uint(n_k);
    const uint first = row + 32u * uint(word), end = row + uint(min(32 * (word + 1), n_k));
    for (int k = lower_bound(cells, layer.count, first); k < layer.count && data[cells + k] < end;
         ++k)
        found |= 1u << (data[cells + k] - first);
    return found;
}

// Returns the keys that a rule other than `blocked` and `allowed` allows.
uint allowed_by(Layer layer, int b, int i, int word) {
    const int from = 32 * word;
    switch (layer.kind) {
        case LAYER_causal:
            return below(i + layer.first + 1 - from);
        case LAYER_padding:  // bits of the keys that are pad tokens
            return ~data[layer.list + b * row_words() + word];
        case LAYER_padding_queries:
            return bit_of(layer.list + b * query_words(), i) ? 0u : 0xffffffffu;
        case LAYER_window:
            return below(i + layer.second + 1 - from) & ~below(i - layer.first - from);
        case LAYER_prefix:
            return below(max(layer.first, i + 1) - from);
        case LAYER_documents:  // where each token's document begins and ends
            return below(int(data[layer.list + 2 * i + 1]) - from) &
                   ~below(int(data[layer.list + 2 * i]) - from);
        default:  // bits of the cells that it allows
            return data[layer.list + (b * layer.first + i - asked_row) * row_words() + word];
    }
}

uint word_of(int sheet, int i, int word) {
    const int start = layers * LAYER_SIZE + sheet * sheet_size;
    const int b = int(data[start]);
    uint open = 0u, allowed = 0xffffffffu;
    for (int k = 0; k < layers; ++k) {
        if (!bit_of(start + 1, k)) continue;
        const Layer layer = layer_at(k);
        if (layer.kind == LAYER_allowed || layer.kind == LAYER_blocked) {
            const uint found = listed(layer, i, word);
            if (layer.kind == LAYER_allowed)
                open |= found;
            else
                allowed &= ~found;
        } else {
            allowed &= allowed_by(layer, b, i, word);
        }
    }
    return (allowed | open) & below(n_k - 32 * word);
}

void main() {
    const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    const uint own = group * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    if (own >= uint(rows) * uint(row_words())) return;
    const int row = first_row + int(own) / row_words(), word = int(own) % row_words();
    bits[uint(row) * uint(row_words()) + uint(word) - bits_base] =
        word_of(row / asked_rows, asked_row + row % asked_rows, word);
}
