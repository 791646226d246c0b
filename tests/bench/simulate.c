/* The simulation of src/trente_rules/simulation/kernel.py in plain C: the same tables (read from
 * standard input as 64-bit integers) and, where the orders of its shoes are given behind them as
 * bytes, the same totals to the unit. Without orders it shuffles shoes of its own.
 *
 *     simulate < tables > totals      seconds go to standard error
 *
 * tables: given orders, cards, shoes, batch shoes, burn, low, high, ending, close, sure, chances, wagers,
 * nodes; 4 + 4 numbers of the streams; the cards; verdicts; whether an outcome sends a stake to
 * prison; the wagers' chances; their first nodes; what stakes of each node have for each verdict;
 * where they go.
 */
#define _POSIX_C_SOURCE 199309L
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { VOID, FINISH, LAST_COUP, NO_COUP, EVERY_COUP };
enum { OUTCOMES = 400, KINDS = 3, VERDICTS = 5, CLOSE = 4, MOST_COUPS = 64, TOGETHER = 6 };

typedef struct {
    int64_t wager, node, kind, net;
} Prisoner;

static inline uint64_t rotated(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

static inline uint64_t draw(uint64_t *s) { /* xoshiro256++ */
    const uint64_t drawn = rotated(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotated(s[3], 45);
    return drawn;
}

static inline uint64_t below(uint64_t *s, uint64_t bound) { /* Lemire, unbiased */
    __uint128_t wide = (__uint128_t)draw(s) * bound;
    if ((uint64_t)wide < bound) {
        const uint64_t least = -bound % bound;
        while ((uint64_t)wide < least) wide = (__uint128_t)draw(s) * bound;
    }
    return (uint64_t)(wide >> 64);
}

static void shuffle(uint16_t *cards, int64_t size, uint64_t *s) {
    int64_t left = size;
    uint64_t picks[TOGETHER];
    for (; left > TOGETHER; left -= TOGETHER) {
        uint64_t product = 1;
        for (int k = 0; k < TOGETHER; k++) product *= (uint64_t)(left - k);
        uint64_t rest, least = 0;
        int known = 0;
        do {
            rest = draw(s);
            for (int k = 0; k < TOGETHER; k++) {
                const __uint128_t wide = (__uint128_t)rest * (uint64_t)(left - k);
                picks[k] = (uint64_t)(wide >> 64);
                rest = (uint64_t)wide;
            }
            if (rest >= product) break;
            if (!known) least = -product % product, known = 1;
        } while (rest < least);
        for (int k = 0; k < TOGETHER; k++) {
            const int64_t last = left - 1 - k;
            const uint16_t card = cards[last];
            cards[last] = cards[picks[k]];
            cards[picks[k]] = card;
        }
    }
    for (; left > 1; left--) {
        const uint64_t pick = below(s, (uint64_t)left);
        const uint16_t card = cards[left - 1];
        cards[left - 1] = cards[pick];
        cards[pick] = card;
    }
}

static int64_t *numbers(int64_t count) {
    int64_t *read = malloc(sizeof(int64_t) * (size_t)(count ? count : 1));
    if (!read || fread(read, sizeof(int64_t), (size_t)count, stdin) != (size_t)count) exit(2);
    return read;
}

int main(void) {
    const int64_t given = *numbers(1), *head = numbers(12);
    const int64_t size = head[0], shoes = head[1], batch_shoes = head[2], burn = head[3];
    const int64_t low = head[4], high = head[5], ending = head[6], close = head[7];
    const int64_t sure = head[8], chances = head[9], wagers = head[10], nodes = head[11];
    uint64_t s[4], m[4];
    memcpy(s, numbers(4), sizeof s);
    memcpy(m, numbers(4), sizeof m);
    const int64_t *read = numbers(size);
    uint16_t *cards = malloc(sizeof(uint16_t) * (size_t)size);
    for (int64_t i = 0; i < size; i++) cards[i] = (uint16_t)read[i];
    uint8_t *verdicts = malloc((size_t)(chances * OUTCOMES)), imprisons[OUTCOMES];
    read = numbers(chances * OUTCOMES);
    for (int64_t i = 0; i < chances * OUTCOMES; i++) verdicts[i] = (uint8_t)read[i];
    read = numbers(OUTCOMES);
    for (int64_t i = 0; i < OUTCOMES; i++) imprisons[i] = (uint8_t)read[i];
    const int64_t *chance_of = numbers(wagers), *first_node = numbers(wagers);
    const int64_t *gains = numbers(nodes * VERDICTS), *nexts = numbers(nodes * VERDICTS);

    const int64_t batches = (shoes + batch_shoes - 1) / batch_shoes;
    int64_t *counts = calloc((size_t)(batches * KINDS * OUTCOMES), sizeof(int64_t));
    int64_t *nets = calloc((size_t)(batches * KINDS * wagers), sizeof(int64_t));
    int64_t *squares = calloc((size_t)(KINDS * wagers * 2), sizeof(int64_t));
    int64_t per_taille[MOST_COUPS] = {0}, voids = 0, followed = 0;
    int64_t room = 64 * wagers, waiting = 0;
    Prisoner *prison = malloc(sizeof(Prisoner) * (size_t)room);
    uint8_t *points = malloc((size_t)size + 1);
    int64_t *ends = malloc(sizeof(int64_t) * ((size_t)size + 1));

    uint8_t *orders = malloc((size_t)(given * size) + 1);
    if (!orders || fread(orders, 1, (size_t)(given * size), stdin) != (size_t)(given * size)) return 2;

    struct timespec from, to;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    for (int64_t shoe = 0; shoe < shoes || waiting; shoe++) {
        if (!given)
            shuffle(cards, size, s);
        else if (shoe == given)
            return 3;
        else
            for (int64_t i = 0; i < size; i++) cards[i] = orders[shoe * size + i];
        int64_t behind = low;
        if (high > low) behind += (int64_t)below(m, (uint64_t)(high - low + 1));
        /* Burned cards are the last of the order. */
        const int64_t left = size - (burn < 0 ? 1 + (cards[size - 1] & 15) : burn);
        int64_t begin = left - behind, end = ending == VOID ? begin : left;
        if (ending == LAST_COUP && behind) begin++;
        if (ending == NO_COUP) {
            int64_t place = left, points_left = 0;
            while (place > 0 && points_left < 62) points_left += cards[--place] & 15;
            begin = (place < left - 8 ? place : left - 8) + 1;
        }
        if (ending == EVERY_COUP) begin = 1, end = left < 64 ? left : 64;
        int64_t rows = 0;
        uint32_t total = 0;
        for (int64_t i = 0; i < end; i++) {
            total += cards[i] & 15;
            points[rows] = (uint8_t)total;
            ends[rows] = i + 1;
            const int done = total > 30;
            rows += done;
            total = done ? 0 : total;
        }
        const int placing = shoe < shoes;
        const int64_t batch = shoe / batch_shoes;
        int64_t coup = 0, from_card = 0;
        for (; from_card < begin && 2 * coup + 1 < rows; coup++) {
            const int64_t second_from = ends[2 * coup];
            const int outcome = ((points[2 * coup] - 31) * 10 + points[2 * coup + 1] - 31) * 4 +
                                (cards[from_card] >> 4 & 1) * 2 + (cards[second_from] >> 4 & 1);
            from_card = ends[2 * coup + 1];
            const int64_t kind = batch * KINDS + (coup == 0 ? 0 : coup < sure ? 1 : 2);
            if (placing) counts[kind * OUTCOMES + outcome]++;
            if (waiting) {
                int64_t still = 0;
                for (int64_t p = 0; p < waiting; p++) {
                    Prisoner one = prison[p];
                    const int64_t at =
                        one.node * VERDICTS + verdicts[chance_of[one.wager] * OUTCOMES + outcome];
                    one.net += gains[at];
                    one.node = nexts[at];
                    if (one.node >= 0) {
                        prison[still++] = one;
                        continue;
                    }
                    nets[one.kind * wagers + one.wager] += one.net;
                    const int64_t square = one.net * one.net;
                    int64_t *sum = squares + (one.kind % KINDS * wagers + one.wager) * 2;
                    sum[0] += square >> 32;
                    sum[1] += square & 0xFFFFFFFF;
                }
                waiting = still;
            }
            if (imprisons[outcome] && placing) {
                if (waiting + wagers > room) {
                    room *= 2;
                    prison = realloc(prison, sizeof(Prisoner) * (size_t)room);
                }
                for (int64_t w = 0; w < wagers; w++) {
                    const int64_t at =
                        first_node[w] * VERDICTS + verdicts[chance_of[w] * OUTCOMES + outcome];
                    if (nexts[at] < 0) continue;
                    prison[waiting++] = (Prisoner){w, nexts[at], kind, gains[at]};
                }
            }
        }
        if (close) {
            for (int64_t p = 0; p < waiting; p++) {
                const Prisoner one = prison[p];
                const int64_t net = one.net + gains[one.node * VERDICTS + CLOSE];
                nets[one.kind * wagers + one.wager] += net;
                const int64_t square = net * net;
                int64_t *sum = squares + (one.kind % KINDS * wagers + one.wager) * 2;
                sum[0] += square >> 32;
                sum[1] += square & 0xFFFFFFFF;
            }
            waiting = 0;
        }
        if (placing) {
            per_taille[coup]++;
            voids += from_card < begin;
        } else {
            followed++;
        }
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    fprintf(stderr, "%.9f\n",
            (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec));
    fwrite(counts, sizeof(int64_t), (size_t)(batches * KINDS * OUTCOMES), stdout);
    fwrite(nets, sizeof(int64_t), (size_t)(batches * KINDS * wagers), stdout);
    fwrite(squares, sizeof(int64_t), (size_t)(KINDS * wagers * 2), stdout);
    fwrite(per_taille, sizeof(int64_t), MOST_COUPS, stdout);
    fwrite(&voids, sizeof voids, 1, stdout);
    fwrite(&followed, sizeof followed, 1, stdout);
    return 0;
}
