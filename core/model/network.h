#pragma once
// The numbers of a model, as its pass reads them.
//   x [n, d]   W [out, in], kept as Wᵀ [in, out]: y = x Wᵀ + bias

#include <memory>
#include <vector>

#include "core/base/matrix.h"
#include "core/scene/model.h"

namespace maskscope {

template <class T>
using MatrixOf = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using RowOf = Eigen::Matrix<T, 1, Eigen::Dynamic>;

template <class T>
struct Linear {
    MatrixOf<T> w;  // [in, out]
    RowOf<T> bias;
    MatrixOf<T> operator()(const MatrixOf<T>& x) const;
};

// Layer norm: (x − mean) / √(variance + 1e-5) · weight + bias over the d numbers of a token.
template <class T>
struct Norm {
    RowOf<T> weight, bias;
    MatrixOf<T> operator()(const MatrixOf<T>& x) const;
};

template <class T>
struct FeedForward {
    Linear<T> in, out;
    MatrixOf<T> operator()(const MatrixOf<T>& x) const;  // with relu between the two; NaN stays NaN
};

template <class T>
struct Projections {
    Linear<T> q, k, v, o;
};

template <class T>
struct EncoderLayer {
    Norm<T> n1, n2;
    Projections<T> sa;
    FeedForward<T> ff;
};

template <class T>
struct DecoderLayer {
    Norm<T> n1, n2, n3;
    Projections<T> sa, ca;
    FeedForward<T> ff;
};

template <class T>
struct NetworkOf {
    MatrixOf<T> es, et;  // [words, d]
    MatrixOf<T> out;     // etᵀ [d, words]
    RowOf<T> b;          // [words]
    std::vector<EncoderLayer<T>> encoder;
    std::vector<DecoderLayer<T>> decoder;
    Norm<T> ne, nd;
    MatrixOf<T> positions;  // [n, d]

    // Returns √d · E[id] + PE of tokens at positions 0, 1, …: [n, d].
    MatrixOf<T> embed(const MatrixOf<T>& table, const std::vector<Index>& ids) const;
    MatrixOf<T> logits(const MatrixOf<T>& x) const;  // [n, words]
};

struct Network {
    NetworkOf<float> single;
    NetworkOf<double> twice;
    template <class T>
    const NetworkOf<T>& of() const {
        if constexpr (std::is_same_v<T, float>)
            return single;
        else
            return twice;
    }
};

// Makes the network of a model whose tensors are complete and have the right shapes.
std::shared_ptr<const Network> make_network(const Model& model);

}  // namespace maskscope
