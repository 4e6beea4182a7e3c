#include "core/model/network.h"

#include <cmath>

#include "core/attention/scoring.h"

namespace maskscope {

template <class T>
MatrixOf<T> Linear<T>::operator()(const MatrixOf<T>& x) const {
    MatrixOf<T> y = bias.replicate(x.rows(), 1);
    y.noalias() += x * w;
    return y;
}

template <class T>
MatrixOf<T> Norm<T>::operator()(const MatrixOf<T>& x) const {
    MatrixOf<T> y(x.rows(), x.cols());
    for (Index i = 0; i < x.rows(); ++i) {
        const RowOf<T> centred = x.row(i).array() - x.row(i).mean();
        const T variance = centred.squaredNorm() / static_cast<T>(x.cols());
        y.row(i) = centred.array() / std::sqrt(variance + T(1e-5)) * weight.array() + bias.array();
    }
    return y;
}

template <class T>
MatrixOf<T> FeedForward<T>::operator()(const MatrixOf<T>& x) const {
    return out(in(x).unaryExpr([](T number) { return number < 0 ? T(0) : number; }));
}

template <class T>
MatrixOf<T> NetworkOf<T>::embed(const MatrixOf<T>& table, const std::vector<Index>& ids) const {
    const T root = std::sqrt(static_cast<T>(table.cols()));
    MatrixOf<T> x = positions.topRows(std::ssize(ids));
    for (std::size_t p = 0; p < ids.size(); ++p) x.row(p) += root * table.row(ids[p]);
    return x;
}

template <class T>
MatrixOf<T> NetworkOf<T>::logits(const MatrixOf<T>& x) const {
    return Linear<T>{out, b}(nd(x));
}

namespace {

// Returns PE[p, 2i] = sin(p · 10000^(−2i/d)), PE[p, 2i+1] = cos of the same.
Matrix sines(Index n, Index d) {
    Matrix pe(n, d);
    for (Index p = 0; p < n; ++p)
        for (Index c = 0; c < d; ++c) {
            const double even = static_cast<double>(c - c % 2) / static_cast<double>(d);
            const double angle = static_cast<double>(p) * std::pow(10000.0, -even);
            pe(p, c) = c % 2 == 0 ? std::sin(angle) : std::cos(angle);
        }
    return pe;
}

// A maker of a network from the tensors of a model, by name.
template <class T>
struct NetworkMaker {
    const Model& model;

    MatrixOf<T> matrix(const std::string& name) const {
        return to_matrix(model.tensors.at(name)).template cast<T>();
    }
    RowOf<T> vector(const std::string& name) const {
        return to_matrix(model.tensors.at(name)).row(0).template cast<T>();
    }
    Linear<T> linear(const std::string& name) const {
        return {matrix(name + ".weight").transpose(), vector(name + ".bias")};
    }
    Norm<T> norm(const std::string& name) const {
        return {vector(name + ".weight"), vector(name + ".bias")};
    }
    Projections<T> projections(const std::string& name) const {
        return {linear(name + ".q"), linear(name + ".k"), linear(name + ".v"), linear(name + ".o")};
    }
    FeedForward<T> feed_forward(const std::string& name) const {
        return {linear(name + ".0"), linear(name + ".2")};
    }

    NetworkOf<T> make() const {
        NetworkOf<T> made;
        made.es = matrix("es.weight");
        made.et = matrix("et.weight");
        made.out = made.et.transpose();
        made.b = vector("b");
        for (Index l = 0; l < model.encoder_layers; ++l) {
            const std::string at = "enc." + std::to_string(l) + ".";
            made.encoder.push_back({norm(at + "n1"), norm(at + "n2"), projections(at + "sa"),
                                    feed_forward(at + "ff")});
        }
        for (Index l = 0; l < model.decoder_layers; ++l) {
            const std::string at = "dec." + std::to_string(l) + ".";
            made.decoder.push_back({norm(at + "n1"), norm(at + "n2"), norm(at + "n3"),
                                    projections(at + "sa"), projections(at + "ca"),
                                    feed_forward(at + "ff")});
        }
        made.ne = norm("ne");
        made.nd = norm("nd");
        const Index longest = std::max(model.max_source + 1 + most_source_pads, model.max_target);
        made.positions = sines(longest, model.d).cast<T>();
        return made;
    }
};

}  // namespace

std::shared_ptr<const Network> make_network(const Model& model) {
    return std::make_shared<const Network>(
        Network{NetworkMaker<float>{model}.make(), NetworkMaker<double>{model}.make()});
}

template struct Linear<float>;
template struct Linear<double>;
template struct Norm<float>;
template struct Norm<double>;
template struct FeedForward<float>;
template struct FeedForward<double>;
template struct NetworkOf<float>;
template struct NetworkOf<double>;

}  // namespace maskscope
