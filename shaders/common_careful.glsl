// Sums with NaN, infinities and overflow as IEEE 754 defines them: terms that are not finite are
// recognized by their bits and collected as flags, the others are added in double precision, where
// they cannot overflow.

const uint found_nan = 1u, found_above = 2u, found_below = 4u;  // +inf, -inf

uint found_infinity(bool negative) { return negative ? found_below : found_above; }

// Adds a · b to the sum if it is finite; otherwise returns a flag.
uint add_product(float a, float b, inout double sum) {
    if (is_nan(a) || is_nan(b)) return found_nan;
    if (!is_finite(a) || !is_finite(b))
        return is_zero(a) || is_zero(b) ? found_nan
                                        : found_infinity(is_negative(a) != is_negative(b));
    sum += double(a) * double(b);
    return 0u;
}

float careful_sum(uint found, double sum) {
    if (found == found_above || found == found_below) return infinity(found == found_below);
    if (found != 0u) return not_a_number();
    // This limit is half a unit above the largest float.
    if (abs(sum) >= 3.4028235677973366e38LF) return infinity(sum < 0.0LF);
    return float(sum);
}
