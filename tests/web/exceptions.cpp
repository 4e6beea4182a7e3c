// Tests what app/web/module/exceptions.cpp must do, as a module of its own that
// tests/web/exceptions.mjs runs: check(k) is 1 if the k-th holds, 0 if not, and -1 beyond the last.

#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace {

std::string told;  // what happened, in order

struct Leaves {
    std::string name;
    explicit Leaves(std::string says) : name(std::move(says)) {}
    Leaves(const Leaves&) = delete;
    Leaves& operator=(const Leaves&) = delete;
    ~Leaves() { told += "~" + name + " "; }
};

struct Left {
    virtual ~Left() = default;
    int left = 1;
};
struct Right {
    virtual ~Right() = default;
    int right = 2;
};
struct Both : Left, Right {
    Both() = default;
    Both(const Both& other) : Left(other), Right(other) { ++alive; }
    ~Both() override { --alive; }
    static int alive;
};
int Both::alive = 0;

// volatile: the compiler must not see that it always throws.
volatile bool yes = true;
template <class T>
void raise(const T& thrown) {
    if (yes) throw thrown;
}

bool by_its_own_type() {
    try {
        raise(std::runtime_error("a"));
    } catch (const std::runtime_error& error) {
        return error.what() == std::string("a");
    }
    return false;
}

bool by_a_base_class() {
    try {
        raise(std::out_of_range("b"));
    } catch (const std::runtime_error&) {
        return false;
    } catch (const std::exception& error) {
        return error.what() == std::string("b");
    }
    return false;
}

bool by_a_base_at_an_offset() {
    try {
        Both both;
        ++Both::alive;
        raise(both);
    } catch (const Right& right) {
        return right.right == 2 && Both::alive == 1;
    }
    return false;
}

bool is_destroyed_after_its_handler() { return Both::alive == 0; }

bool a_number() {
    try {
        raise(42);
    } catch (long) {
        return false;
    } catch (int x) {
        return x == 42;
    }
    return false;
}

bool a_pointer_by_a_base() {
    static Both both;
    try {
        raise(&both);
    } catch (Right* right) {
        return right->right == 2 && right == static_cast<Right*>(&both);
    }
    return false;
}

bool anything() {
    try {
        raise(std::string("text"));
    } catch (...) {
        return true;
    }
    return false;
}

bool passes_what_none_takes() {
    try {
        try {
            raise(1);
        } catch (const std::exception&) {
            return false;
        }
    } catch (int) {
        return true;
    }
    return false;
}

bool destructors_in_order() {
    told.clear();
    try {
        const Leaves a("a");
        const Leaves b("b");
        try {
            const Leaves c("c");
            raise(1);
        } catch (const std::string&) {
            return false;
        }
    } catch (int) {
        told += "caught";
    }
    return told == "~c ~b ~a caught";
}

bool nested() {
    try {
        raise(1);
    } catch (int outer) {
        try {
            raise(std::string("inner"));
        } catch (const std::string& inner) {
            return outer == 1 && inner == "inner";
        }
    }
    return false;
}

bool the_outer_one_lives_on() {
    try {
        raise(std::string("outer"));
    } catch (const std::string& outer) {
        for (int k = 0; k < 3; ++k) try {
                raise(k);
            } catch (int) {}
        return outer == "outer";
    }
    return false;
}

bool thrown_again() {
    told.clear();
    try {
        try {
            const Leaves a("a");
            raise(std::runtime_error("again"));
        } catch (const std::exception&) {
            told += "first ";
            throw;
        }
    } catch (const std::runtime_error& error) {
        told += error.what();
    }
    return told == "~a first again";
}

bool thrown_again_from_within() {
    try {
        try {
            raise(1);
        } catch (int) {
            try {
                throw;
            } catch (int) {
                told = "inner";
                throw;
            }
        }
    } catch (int x) {
        return x == 1 && told == "inner";
    }
    return false;
}

bool another_in_place_of_it() {
    try {
        try {
            raise(std::runtime_error("a"));
        } catch (const std::runtime_error& error) {
            throw std::logic_error(std::string(error.what()) + "b");
        }
    } catch (const std::logic_error& error) {
        return error.what() == std::string("ab");
    }
    return false;
}

bool kept_and_thrown_later() {
    std::exception_ptr kept;
    try {
        raise(std::system_error(std::make_error_code(std::errc::io_error)));
    } catch (...) {
        kept = std::current_exception();
    }
    for (int k = 0; k < 2; ++k) try {
            std::rethrow_exception(kept);
        } catch (const std::system_error& error) {
            if (error.code() != std::errc::io_error) return false;
        }
    return std::current_exception() == nullptr;
}

bool counts_what_is_under_way() {
    struct Counts {
        ~Counts() { told = std::to_string(std::uncaught_exceptions()); }
    };
    try {
        const Counts counts;
        raise(1);
    } catch (int) {
        return told == "1" && std::uncaught_exceptions() == 0;
    }
    return false;
}

bool out_of_a_constructor() {
    struct Half {
        Leaves part{"part"};
        Half() { raise(1); }
    };
    told.clear();
    try {
        const Half half;
    } catch (int) {
        return told == "~part ";
    }
    return false;
}

bool no_memory() {
    try {
        const std::vector<double> many(std::size_t(1) << 28);  // 2 GiB, and the module has less
        return many.empty();
    } catch (const std::bad_alloc&) {
        return true;
    }
}

bool through_many_frames() {
    const std::function<void(int)> deeper = [&](int left) {
        const Leaves leaves(std::to_string(left));
        if (left == 0) raise(7);
        deeper(left - 1);
    };
    told.clear();
    try {
        deeper(3);
    } catch (int x) {
        return x == 7 && told == "~0 ~1 ~2 ~3 ";
    }
    return false;
}

bool thousands() {
    for (int k = 0; k < 100'000; ++k) try {
            raise(std::string(1000, 'x'));
        } catch (const std::string& text) {
            if (text.size() != 1000) return false;
        }
    return true;  // within the memory that the module may have
}

bool (*const checks[])() = {by_its_own_type,
                            by_a_base_class,
                            by_a_base_at_an_offset,
                            is_destroyed_after_its_handler,
                            a_number,
                            a_pointer_by_a_base,
                            anything,
                            passes_what_none_takes,
                            destructors_in_order,
                            nested,
                            the_outer_one_lives_on,
                            thrown_again,
                            thrown_again_from_within,
                            another_in_place_of_it,
                            kept_and_thrown_later,
                            counts_what_is_under_way,
                            out_of_a_constructor,
                            no_memory,
                            through_many_frames,
                            thousands};

}  // namespace

extern "C" int check(unsigned k) { return k < std::size(checks) ? int(checks[k]()) : -1; }
