#pragma once
// The tokens along a heatmap's rows and columns.

#include <memory>
#include <string>
#include <vector>

#include "core/result/result.h"

namespace maskscope {

struct BenchTokens {
    std::vector<std::string> queries, keys;
    std::vector<double> query_ems, key_ems;  // their widths, in heights of the type
    // The word that each row of a translator's decoder reads; its row carries the word that it
    // predicts.
    std::vector<std::string> reads = {};
    std::vector<double> read_ems = {};
    bool said =
        false;  // the rows are labelled with what a model generated: hidden with its variant
    // Computed once for thousands of tokens, not by each caller. A query's label includes the word
    // that it reads.
    double longest_label = 0, longest_key = 0;  // in heights of the type
    bool keys_are_said() const { return said && keys == reads; }
    bool operator==(const BenchTokens&) const = default;
};

using SharedTokens = std::shared_ptr<const BenchTokens>;  // not null

// The tokens that a bench needed, kept for itself and the next one.
class KnownTokens {
public:
    // Returns tokens. before: from the previous bench. Tokens of equal text are the same object.
    SharedTokens of(const VariantResult& result, Index b, const KnownTokens& before);

private:
    struct Known {
        TokenLabels queries, keys;
        Index b = 0;
        SharedTokens tokens;
    };
    std::vector<Known> known_;
};

// Sets longest_label and longest_key.
void find_longest(BenchTokens& tokens);

}  // namespace maskscope
