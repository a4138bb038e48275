"""All campaigns, by name."""

from benchmarks.library_campaign import configurations, forms, held_out, programs, weights, zoo

CAMPAIGNS = {
    "programs": programs,
    "configurations": configurations,
    "forms": forms,
    "held_out": held_out,
    "weights": weights,
    "zoo": zoo,
}
