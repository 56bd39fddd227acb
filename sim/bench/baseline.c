/* The yardstick of `ringsim bench`: deals as ringsim does and plays uniformly, and nothing else.
 *
 * One lost card and a Fisher-Yates shuffle of the other 36 by Philox4x64-10 with Lemire's bounded draws (deal format 1:
 * the same numbers, so the same hands as ringsim for four players), then nine tricks of four random cards that follow
 * suit; the highest card of the led suit wins and leads. No setup, no characters, no goals, no results kept.
 *
 * baseline SEED DEALS   prints deals per second of CPU time and a checksum
 * baseline SEED 0       prints the lost card and the four hands of deal 0 as masks
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
    uint64_t key, counter[4], words[4];
    int next;
} source;

static void start(source *s, uint64_t key, uint64_t stream, uint64_t deal) {
    s->key = key;
    s->counter[0] = 0;
    s->counter[1] = stream;
    s->counter[2] = 1;
    s->counter[3] = deal;
    s->next = 8;
}

static void next_block(source *s) {
    uint64_t c0 = ++s->counter[0], c1 = s->counter[1], c2 = s->counter[2], c3 = s->counter[3];
    uint64_t k0 = s->key, k1 = 0;
    for (int i = 0; i < 10; i++) {
        unsigned __int128 a = (unsigned __int128)0xD2E7470EE14C6C93u * c0;
        unsigned __int128 b = (unsigned __int128)0xCA5A826395121157u * c2;
        c0 = (uint64_t)(b >> 64) ^ c1 ^ k0;
        c1 = (uint64_t)b;
        c2 = (uint64_t)(a >> 64) ^ c3 ^ k1;
        c3 = (uint64_t)a;
        k0 += 0x9E3779B97F4A7C15u;
        k1 += 0xBB67AE8584CAA73Bu;
    }
    s->words[0] = c0;
    s->words[1] = c1;
    s->words[2] = c2;
    s->words[3] = c3;
    s->next = 0;
}

static inline uint32_t draw32(source *s) {
    if (s->next == 8) next_block(s);
    uint64_t word = s->words[s->next >> 1];
    return (uint32_t)(s->next++ & 1 ? word >> 32 : word);
}

static inline uint32_t below(source *s, uint32_t n) {
    uint64_t product = (uint64_t)draw32(s) * n;
    if ((uint32_t)product < n) {
        uint32_t threshold = -n % n;
        while ((uint32_t)product < threshold) product = (uint64_t)draw32(s) * n;
    }
    return (uint32_t)(product >> 32);
}

static inline int pick(source *s, uint64_t cards) {
    int n = __builtin_popcountll(cards);
    for (int i = n == 1 ? 0 : (int)below(s, (uint32_t)n); i; i--) cards &= cards - 1;
    return __builtin_ctzll(cards);
}

#define ALL ((1ull << 37) - 1)
#define ONE_RING (1ull << 32)
static const uint64_t suits[5] = {0xffull, 0xffull << 8, 0xffull << 16, 0xffull << 24, 0x1full << 32};

static uint64_t deal(source *lost_luck, source *deal_luck, uint64_t hands[4]) {
    uint64_t lost = 1ull << pick(lost_luck, ALL & ~ONE_RING);
    int order[36], total = 0;
    for (uint64_t rest = ALL & ~lost; rest; rest &= rest - 1) order[total++] = __builtin_ctzll(rest);
    for (int i = total - 1; i > 0; i--) {
        int j = (int)below(deal_luck, (uint32_t)i + 1), card = order[j];
        order[j] = order[i];
        order[i] = card;
    }
    for (int seat = 0, position = 0; seat < 4; seat++) {
        hands[seat] = 0;
        for (int i = 0; i < 9; i++) hands[seat] |= 1ull << order[position++];
    }
    return lost;
}

static uint64_t play(source *choices, uint64_t hands[4]) {
    int tricks[4] = {0, 0, 0, 0}, leader = 0;
    while (!(hands[leader] & ONE_RING)) leader++;
    for (int trick = 0; trick < 9; trick++) {
        uint64_t led = 0, laid = 0;
        int card_of[4];
        for (int step = 0; step < 4; step++) {
            int seat = (leader + step) & 3;
            uint64_t options = hands[seat] & led ? hands[seat] & led : hands[seat];
            int card = pick(choices, options);
            if (!step) led = suits[card >> 3];
            card_of[seat] = card;
            hands[seat] &= ~(1ull << card);
            laid |= 1ull << card;
        }
        int best = 63 - __builtin_clzll(laid & led);
        for (int seat = 0; seat < 4; seat++)
            if (card_of[seat] == best) leader = seat;
        tricks[leader]++;
    }
    return (uint64_t)(tricks[0] + 10 * tricks[1] + 100 * tricks[2]);
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    uint64_t seed = strtoull(argv[1], NULL, 10), deals = strtoull(argv[2], NULL, 10), sum = 0, hands[4];
    source lost_luck, deal_luck, choices;
    if (deals == 0) {
        start(&lost_luck, seed, 1, 0);
        start(&deal_luck, seed, 0, 0);
        uint64_t lost = deal(&lost_luck, &deal_luck, hands);
        printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", lost, hands[0], hands[1], hands[2], hands[3]);
        return 0;
    }
    struct timespec began, ended;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &began);
    for (uint64_t i = 0; i < deals; i++) {
        start(&lost_luck, seed, 1, i);
        start(&deal_luck, seed, 0, i);
        start(&choices, seed, 4, i);
        deal(&lost_luck, &deal_luck, hands);
        sum += play(&choices, hands);
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ended);
    double seconds = (double)(ended.tv_sec - began.tv_sec) + 1e-9 * (double)(ended.tv_nsec - began.tv_nsec);
    printf("%.1f %" PRIu64 "\n", (double)deals / seconds, sum);
    return 0;
}
