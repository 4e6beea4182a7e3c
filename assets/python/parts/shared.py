def row_named(s, i):
    of_sequence = f" of sequence {s}" if b > 1 else ""
    return f'row "{queries[s][i]}" ({i}){of_sequence}'


def apart(x, y):
    """How far two outputs are apart; inf where one of them is NaN."""
    x, y = x.double(), y.double()
    same = (x == y) | (x.isnan() & y.isnan())
    return (x - y).abs().masked_fill(same, 0.0).nan_to_num(nan=inf, posinf=inf)


def largest(x):
    return x.double().abs().nan_to_num(nan=0.0, posinf=0.0)


class Worst:
    def __init__(self):
        self.amount, self.place = 0.0, None

    def take(self, amount, *place):
        if amount > self.amount:
            self.amount, self.place = amount, place
