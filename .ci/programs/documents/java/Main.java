import animals.ApiClient;
import animals.ApiException;
import animals.api.AnimalsApi;
import animals.model.AnimalSpecies;
import animals.model.NewAnimal;
import java.util.LinkedHashSet;
import java.util.List;

/** Calls the animals through the client that openapi-generator generated. */
public class Main {
    public static void main(String[] arguments) throws Exception {
        var client = new ApiClient();
        client.updateBaseUri(System.getenv("API_URL"));
        client.setRequestInterceptor(request -> request.header("X-Api-Key", System.getenv("API_KEY")));
        var animals = new AnimalsApi(client);
        var created = animals.createAnimal(new NewAnimal().name("Java").species(AnimalSpecies.AnimalSpeciesCat).weightKg(4.2)).getData();
        equal(animals.viewAnimal(created.getId(), null, null).getData(), created);
        animals.createAnimal(new NewAnimal().name("Javelin").species(AnimalSpecies.AnimalSpeciesDog).weightKg(12.0));
        var species = List.of(AnimalSpecies.AnimalSpeciesCat, AnimalSpecies.AnimalSpeciesDog);
        var order = new LinkedHashSet<>(List.of("-name"));
        var listed = animals.listAnimals(null, "Jav", null, species, 4.0, null, order, null, null);
        equal(listed.getData().stream().map(animal -> animal.getName()).toList(), List.of("Javelin", "Java"));
        try {
            animals.createAnimal(new NewAnimal().name("").species(AnimalSpecies.AnimalSpeciesCat));
            throw new AssertionError("an empty name was accepted");
        } catch (ApiException error) {
            equal(error.getCode(), 422);
            equal(error.getResponseBody().contains("\"pointer\":\"/name\""), true);
        }
    }

    static void equal(Object found, Object expected) {
        if (!found.equals(expected)) {
            throw new AssertionError(found + " instead of " + expected);
        }
    }
}
