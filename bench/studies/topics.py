"""Online topics of BERTopic on the questions of CLINC150, one domain after another: PHIDA+ and MiniBatchKMeans.

    python studies/topics.py SEED [WAY ...]

Needs BERTopic and ../shared/datasets/embeddings. Domains arrive in random order, in batches of 750 questions.
"""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np
from bertopic import BERTopic
from bertopic.dimensionality import BaseDimensionalityReduction
from bertopic.vectorizers import OnlineCountVectorizer
from intents import embedded, questions
from sklearn.cluster import MiniBatchKMeans
from sklearn.decomposition import IncrementalPCA
from sklearn.metrics import adjusted_mutual_info_score as ami
from sklearn.metrics import adjusted_rand_score as ari

from phida import PHIDAPlus
from phida.bertopic import ClusterModel
from phida.embeddings import Reducer

BATCH = 750

#: Intents of each of the ten domains.
DOMAINS = """\
freeze_account routing pin_change bill_due pay_bill account_blocked interest_rate min_payment bill_balance \
transfer order_checks balance spending_history transactions report_fraud
replacement_card_duration expiration_date damaged_card improve_credit_score report_lost_card card_declined \
credit_limit_change apr redeem_rewards credit_limit rewards_balance application_status credit_score new_card \
international_fees
food_last confirm_reservation how_busy ingredients_list calories nutrition_info recipe restaurant_reviews \
restaurant_reservation meal_suggestion restaurant_suggestion cancel_reservation ingredient_substitution \
cook_time accept_reservations
what_song play_music todo_list_update reminder reminder_update calendar_update order_status update_playlist \
shopping_list calendar next_song order todo_list shopping_list_update smart_home
current_location oil_change_when oil_change_how uber traffic tire_pressure schedule_maintenance gas mpg distance \
directions last_maintenance gas_type tire_change jump_start
plug_type travel_notification translate flight_status international_visa timezone exchange_rate \
travel_suggestion travel_alert vaccines lost_luggage book_flight book_hotel carry_on car_rental
weather alarm date find_phone share_location timer make_call calculator definition measurement_conversion \
flip_coin spelling time roll_dice text
pto_request_status next_holiday insurance_change insurance meeting_schedule payday taxes income rollover_401k \
pto_balance pto_request w2 schedule_meeting direct_deposit pto_used
who_made_you meaning_of_life who_do_you_work_for do_you_have_pets what_are_your_hobbies fun_fact \
what_is_your_name where_are_you_from goodbye thank_you greeting tell_joke are_you_a_bot how_old_are_you \
what_can_i_ask_you
change_speed user_name whisper_mode yes change_volume no change_language repeat change_accent cancel sync_device \
change_user_name change_ai_name reset_settings maybe"""


class Same(BaseDimensionalityReduction):
    """A reduction that leaves rows unchanged."""

    def partial_fit(self, X: np.ndarray) -> Same:
        return self


#: Reduction and cluster model of each variant.
WAYS = {
    "ClusterModel": lambda: (Same(), ClusterModel()),
    "Reducer(pca, 64), ClusterModel": lambda: (Reducer(n_components=64), ClusterModel()),
    "Reducer(umap, 5), ClusterModel": lambda: (Reducer("umap", 5), ClusterModel()),
    "labels of PHIDAPlus": lambda: (Same(), PHIDAPlus()),
    "IncrementalPCA(5), MiniBatchKMeans(50)": lambda: (IncrementalPCA(5), MiniBatchKMeans(50, random_state=0)),
    "MiniBatchKMeans(150)": lambda: (Same(), MiniBatchKMeans(150, random_state=0)),
}


def stream(intents: np.ndarray, seed: int) -> list[np.ndarray]:
    """Return the row numbers of each batch."""
    rng = np.random.default_rng(seed)
    domains = [np.flatnonzero(np.isin(intents, line.split())) for line in DOMAINS.splitlines()]
    rows = [rng.permutation(domains[d]) for d in rng.permutation(len(domains))]
    return [part for of in rows for part in np.array_split(of, len(of) // BATCH)]


def trial(way: str, seed: int) -> str:
    texts, intents = questions("clinc150")
    X = embedded("clinc150")[0]
    reduction, model = WAYS[way]()
    topics = BERTopic(
        embedding_model=None,
        umap_model=reduction,
        hdbscan_model=model,
        vectorizer_model=OnlineCountVectorizer(stop_words="english"),
    )
    given = np.empty(len(X), int)
    began = time.process_time()
    for rows in stream(intents, seed):
        topics.partial_fit(texts[rows].tolist(), X[rows])
        given[rows] = topics.topics_
    seconds = time.process_time() - began
    last = np.array(topics.transform(texts.tolist(), X)[0])
    return (
        f"{way:40} seed {seed}: given {ari(intents, given):.3f}/{ami(intents, given):.3f}, at the end "
        f"{ari(intents, last):.3f}/{ami(intents, last):.3f}, {len(set(last))} topics, "
        f"same topic {np.mean(given == last):.3f}, {1e6 * seconds / len(X):.0f} µs"
    )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    seed, *ways = sys.argv[1:]
    for way in ways or WAYS:
        print(trial(way, int(seed)), flush=True)
